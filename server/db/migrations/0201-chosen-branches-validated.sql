-- Git makes no branch HEAD; the other names deceive whoever reads the list. Their people choose anew.
delete from merge_target where not is_chosen_branch(branch);
alter table merge_target validate constraint merge_target_chosen;
