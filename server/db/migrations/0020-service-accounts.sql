-- Service accounts: users without a person, each of one workspace, for programs and routines.

alter table app_user
  add column kind text not null default 'person',
  add column service_of uuid,
  add constraint app_user_kind_check check (kind in ('person', 'service')),
  add constraint app_user_service_of check ((kind = 'service') = (service_of is not null)),
  add constraint app_user_service_address
    check (kind = 'person' or name is not null and email = id::text || '@service.invalid'),
  add constraint app_user_of_kind unique (id, kind),
  add constraint app_user_of_workspace unique (id, service_of);
comment on table app_user is
  'A person with an email address, or a service account. Deactivated, never deleted.';
comment on column app_user.kind is
  '`service`: nobody signs in as it, and it has no mailbox; its address only keeps it apart.';
comment on column app_user.service_of is
  'The workspace that a service account is of, also after that was deleted.';
comment on column app_user.two_factor is
  'Whether the person has set up a second factor. True for service accounts, whose keys only people make who meet what the workspace demands.';

-- What only a person has refers to one, by a constant.
alter table password add column user_kind text not null default 'person' check (user_kind = 'person'),
  add constraint password_of_person foreign key (user_id, user_kind) references app_user (id, kind);
alter table identity add column user_kind text not null default 'person' check (user_kind = 'person'),
  add constraint identity_of_person foreign key (user_id, user_kind) references app_user (id, kind);
alter table passkey add column user_kind text not null default 'person' check (user_kind = 'person'),
  add constraint passkey_of_person foreign key (user_id, user_kind) references app_user (id, kind);
alter table totp add column user_kind text not null default 'person' check (user_kind = 'person'),
  add constraint totp_of_person foreign key (user_id, user_kind) references app_user (id, kind);
alter table recovery_code add column user_kind text not null default 'person' check (user_kind = 'person'),
  add constraint recovery_code_of_person foreign key (user_id, user_kind) references app_user (id, kind);
alter table session add column user_kind text not null default 'person' check (user_kind = 'person'),
  add constraint session_of_person foreign key (user_id, user_kind) references app_user (id, kind);
alter table sign_in_link add column user_kind text not null default 'person' check (user_kind = 'person'),
  add constraint sign_in_link_of_person foreign key (user_id, user_kind) references app_user (id, kind);
alter table payment_method add column user_kind text not null default 'person' check (user_kind = 'person'),
  add constraint payment_method_of_person foreign key (user_id, user_kind) references app_user (id, kind);
alter table organization add column owner_kind text not null default 'person' check (owner_kind = 'person'),
  add constraint organization_owner_is_person
    foreign key (owner_user_id, owner_kind) references app_user (id, kind);
create index organization_owner on organization (owner_user_id);
alter table project add column owner_kind text not null default 'person' check (owner_kind = 'person'),
  add constraint project_owner_is_person
    foreign key (owner_user_id, owner_kind) references app_user (id, kind);
comment on column password.user_kind is 'Constant: with user_id it refers to a person.';
comment on column identity.user_kind is 'Constant: with user_id it refers to a person.';
comment on column passkey.user_kind is 'Constant: with user_id it refers to a person.';
comment on column totp.user_kind is 'Constant: with user_id it refers to a person.';
comment on column recovery_code.user_kind is 'Constant: with user_id it refers to a person.';
comment on column session.user_kind is 'Constant: with user_id it refers to a person.';
comment on column sign_in_link.user_kind is 'Constant: with user_id it refers to a person.';
comment on column payment_method.user_kind is 'Constant: with user_id it refers to a person.';
comment on column organization.owner_kind is 'Constant: with owner_user_id it refers to a person.';
comment on column project.owner_kind is 'Constant: with owner_user_id it refers to a person.';

-- A service account is a member of its own workspace, and its keys open that one alone.
alter table membership
  add column user_kind text not null default 'person',
  add column service_of uuid,
  add constraint membership_kind_has_workspace check ((user_kind = 'service') = (service_of is not null)),
  add constraint membership_of_own_workspace check (service_of = organization_id),
  add constraint membership_of_kind foreign key (user_id, user_kind) references app_user (id, kind),
  add constraint membership_of_service foreign key (user_id, service_of) references app_user (id, service_of);
comment on column membership.user_kind is 'That of the user.';
comment on column membership.service_of is 'The workspace, if the user is a service account of it.';
alter table api_key
  add column user_kind text not null default 'person',
  add column service_of uuid,
  add constraint api_key_kind_has_workspace check ((user_kind = 'service') = (service_of is not null)),
  add constraint api_key_of_own_workspace
    check (service_of is null or organization_id is not null and service_of = organization_id),
  add constraint api_key_of_kind foreign key (user_id, user_kind) references app_user (id, kind),
  add constraint api_key_of_service foreign key (user_id, service_of) references app_user (id, service_of);
comment on table api_key is 'An API key of a person or a service account. Revoked, never deleted.';
comment on column api_key.user_kind is 'That of the user.';
comment on column api_key.service_of is 'The workspace, if the user is a service account of it.';
create index app_user_of_service on app_user (service_of) where service_of is not null;
create trigger app_user_stays_of_kind before update of kind, service_of on app_user
  for each row execute function keep_columns('kind', 'service_of');
-- The name of the error that a caller gets.
alter table invitation
  add constraint service_account_invited check (lower(email) not like '%@service.invalid');
