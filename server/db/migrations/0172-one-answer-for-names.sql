-- Probes no longer tell a name that is not found from one that is not public:
-- docs/decisions/0063-outgoing-requests.md. What was stored before must be readable by the next release.
update odoo_connection
   set last_probe = last_probe || jsonb_build_object(
         'code', 'blocked_address',
         'message', 'Guildhall does not find this address, or sends no requests to it: check how it is spelled.')
 where last_probe ->> 'code' = 'dns';
