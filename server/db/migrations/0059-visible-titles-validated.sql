-- What was accepted before and no longer is loses its marks that cannot be seen, or is renamed.
update task
   set title = coalesce(
         (select seen from btrim(regexp_replace(title,
            '[\u00AD\u061C\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF]', '', 'g')) seen
           where is_name(seen)),
         'Renamed ' || left(id::text, 8))
 where not is_name(title);
alter table attachment disable trigger attachment_stays;
update attachment
   set name = coalesce(
         (select seen from btrim(regexp_replace(name,
            '[\u00AD\u061C\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF]', '', 'g')) seen
           where is_name(seen)),
         'Renamed ' || left(id::text, 8))
 where not is_name(name);
alter table attachment enable trigger attachment_stays;

alter table task validate constraint task_title_is_name;
alter table attachment validate constraint attachment_name_is_name;
