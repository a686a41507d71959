create or replace function count_stored_files() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into project_storage as s (project_id, files, bytes)
    select project_id, count(*), sum(size) from changed group by project_id order by project_id
    on conflict (project_id) do update
       set files = s.files + excluded.files, bytes = s.bytes + excluded.bytes;
  else
    update project_storage s set files = s.files - gone.files, bytes = s.bytes - gone.bytes
      from (select project_id, count(*) as files, sum(size) as bytes
              from changed group by project_id) gone
     where s.project_id = gone.project_id;
    insert into file_removal (storage_key) select storage_key from changed on conflict do nothing;
  end if;
  return null;
end $$;
comment on function count_stored_files() is
  'Keeps project_storage, and notes the bytes of deleted rows in file_removal.';
