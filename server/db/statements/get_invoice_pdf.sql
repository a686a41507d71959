-- get_invoice_pdf: GET /api/billing/invoices/{invoice_id}/pdf
-- Written by `npm run sql`: to be read, not edited and not loaded.

with caller as materialized (
  select u.id as user_id, k.id as key_id, null::uuid as session_id, u.two_factor, k.read_only,
         k.organization_id as scope
    from api_key k join app_user u on u.id = k.user_id
   where k.secret_hash = $1 and k.revoked_at is null and u.is_active
     and (k.expires_at is null or k.expires_at > now())),
    access as materialized (
      select true as found, i.id as invoice_id, null::uuid as organization_id,
             case when i.user_id is distinct from caller.user_id then 'forbidden' end
               as denied_because
        from caller
        cross join (select v.id, a.user_id
                      from invoice v join billing_account a on a.id = v.account_id
                     where v.id = $2) i),
    authorized as materialized (
      select access.* from access cross join caller where
  case when false then 'key_read_only'
       when caller.scope is not null and caller.scope is distinct from access.organization_id
            then 'key_out_of_scope'
       else access.denied_because end is null)
    select access.*, page.*,
           caller.user_id as "$user", caller.key_id as "$key", caller.session_id as "$session",
           access.found as "$found",
  case when false then 'key_read_only'
       when caller.scope is not null and caller.scope is distinct from access.organization_id
            then 'key_out_of_scope'
       else access.denied_because end as "$denied"
      from (values (true)) request
      left join caller on true left join access on true left join (
    select '{"id":' || '"' || (t.id)::uuid || '"'
           || coalesce(',"kind":' || '"' || t.kind || '"', '')
           || coalesce(',"number":' || to_json((t.number)::text)::text, '')
           || coalesce(',"issued_at":' || '"' || to_char((t.issued_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '')
           || coalesce(',"charged_at":' || '"' || to_char((t.charged_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', '')
           || coalesce(',"top_up_id":' || '"' || (t.top_up_id)::uuid || '"', '')
           || coalesce(',"invoice_number":' || to_json((case when t.kind <> 'invoice' then (
          select number from invoice i where i.top_up_id = t.top_up_id and i.kind = 'invoice') end)::text)::text, '')
           || coalesce(',"total":' || '"' || (
  select round(usd, greatest(min_scale(usd), 2))
    from (values ((t.total)::numeric / 1000000)) amount (usd))::text || '"', '')
           || coalesce(',"net":' || '"' || (
  select round(usd, greatest(min_scale(usd), 2))
    from (values ((t.total - t.tax)::numeric / 1000000)) amount (usd))::text || '"', '')
           || coalesce(',"tax":' || '"' || (
  select round(usd, greatest(min_scale(usd), 2))
    from (values ((t.tax)::numeric / 1000000)) amount (usd))::text || '"', '')
           || coalesce(',"tax_rate":' || to_json((trim_scale(t.tax_rate))::text)::text, '')
           || coalesce(',"tax_name":' || to_json((t.tax_name)::text)::text, '')
           || coalesce(',"tax_note":' || to_json((t.tax_note)::text)::text, '')
           || coalesce(',"customer":' || (json_strip_nulls(json_build_object(
          'name', t.customer_name, 'address', t.customer_address,
          'country', t.customer_country, 'tax_id', t.customer_tax_id,
          'email', t.customer_email)))::json::text, '')
           || coalesce(',"issuer":' || (json_strip_nulls(json_build_object(
          'name', t.issuer_name, 'address', t.issuer_address,
          'country', t.issuer_country, 'tax_id', t.issuer_tax_id)))::json::text, '')
           || coalesce(',"card_brand":' || to_json((t.card_brand)::text)::text, '')
           || coalesce(',"card_last4":' || to_json((t.card_last4)::text)::text, '')
           || coalesce(',"is_test":' || ((t.processor = 'sandbox')::boolean)::text, '') || '}' as item
      from invoice t join authorized on t.id = authorized.invoice_id) page on true;
