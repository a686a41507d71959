-- run outside a transaction
-- These took two mailboxes for one. No release names them, so that none has to wait for the next one.
drop index concurrently if exists app_user_email_key;
drop index concurrently if exists invitation_one_open;
drop index concurrently if exists invitation_one_open_of_project;
drop index concurrently if exists invitation_of_address;
drop index concurrently if exists sign_in_link_sign_up;
