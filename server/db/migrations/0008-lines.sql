-- A comment on the code may be about several lines.
alter table diff_comment
  add column start_line integer
  constraint diff_comment_lines_in_order check (start_line between 1 and line);
comment on column diff_comment.start_line is
  'The first of the lines that it is about; null for a comment on one line.';
