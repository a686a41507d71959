-- Cards that people have shared with a workspace (docs/decisions/0057-shared-cards.md).
create table card_share (
  payment_method_id text not null references payment_method,
  organization_id   uuid not null,
  user_id           uuid not null,
  created_at        timestamptz not null default now(),
  primary key (payment_method_id, organization_id),
  foreign key (organization_id, user_id) references membership on delete cascade
);
comment on table card_share is
  'Cards that an owner or admin lets the others of a workspace see. It gives no one the right to charge them.';
comment on column card_share.user_id is 'The person of the card.';
create index card_share_member on card_share (organization_id, user_id);
grant select, insert, delete on card_share to guildhall_app;

create function end_card_shares() returns trigger language plpgsql as $$
begin
  if tg_table_name = 'payment_method' then
    delete from card_share where payment_method_id = new.id;
  else
    delete from card_share s using membership m, role r
     where m.organization_id = s.organization_id and m.user_id = s.user_id and r.id = m.role_id
       and r.acts_as <> 'admin'
       and case tg_table_name
             when 'membership' then m.organization_id = (to_jsonb(new) ->> 'organization_id')::uuid
               and m.user_id = (to_jsonb(new) ->> 'user_id')::uuid
             else m.role_id = (to_jsonb(new) ->> 'id')::uuid end;
  end if;
  return null;
end $$;
comment on function end_card_shares() is
  'A card is shared until it is removed, or until its person is no owner or admin any more, whose memberships act as admin.';
create trigger payment_method_ends_shares after update of detached_at on payment_method
  for each row when (new.detached_at is not null) execute function end_card_shares();
create trigger membership_ends_card_shares after update of role_id on membership
  for each row execute function end_card_shares();
create trigger role_ends_card_shares after update of acts_as on role
  for each row when (new.acts_as <> 'admin') execute function end_card_shares();
