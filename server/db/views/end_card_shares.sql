create or replace function end_card_shares() returns trigger language plpgsql as $$
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
