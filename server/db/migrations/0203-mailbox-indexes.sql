-- run outside a transaction
create unique index concurrently app_user_mailbox on app_user (mailbox(email));
create unique index concurrently invitation_open_mailbox
  on invitation (organization_id, mailbox(email)) where status = 'pending';
create unique index concurrently invitation_open_mailbox_of_project
  on invitation (project_id, mailbox(email)) where status = 'pending';
create index concurrently invitation_of_mailbox
  on invitation (mailbox(email), created_at desc, id desc) where status = 'pending';
create unique index concurrently sign_in_link_of_mailbox
  on sign_in_link (mailbox(email)) where ended_at is null and purpose = 'sign_up';
