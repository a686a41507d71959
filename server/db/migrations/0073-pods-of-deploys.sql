alter table deploy add column pod_id uuid;
create unique index deploy_pod on deploy (pod_id);
comment on column deploy.held_by is 'Names the hold of the worker that carries it out, anew for each.';
comment on column deploy.pod_id is
  'Where its command was begun last. Whoever takes it over ends that first.';
