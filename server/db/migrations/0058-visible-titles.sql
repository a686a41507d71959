-- People pick tasks and files from lists by these words, so they are names too (decision 17).
alter table task add constraint task_title_is_name check (is_name(title)) not valid;
alter table attachment add constraint attachment_name_is_name check (is_name(name)) not valid;
