"""The two changes."""

from uuid import UUID, uuid4

import asyncpg
from fastapi import APIRouter, HTTPException

from database import Caller, Connection, User
from models import Approval, Team, TeamChanges
from rights import administered, project_for

router = APIRouter(prefix="/api")

TEAM = """
select t.*, (select count(*) from team_member m where m.team_id = t.id) as member_count,
       (select count(*) from team_project p where p.team_id = t.id) as project_count
  from team t where t.id = $1 and t.organization_id = $2 for update of t"""

UPDATE_TEAM = """
update team set name = $2, add_to_new_projects = $3, can_create_projects = $4, can_merge_production = $5,
       can_merge_staging = $6, updated_at = clock_timestamp()
 where id = $1 returning updated_at"""

AUDIT = """
insert into audit_event (actor_user_id, key_id, action, outcome, target_id, organization_id, before, after, request_id)
values ($1, $2, $3, 'done', $4, $5, $6, $7, $8)"""


async def audit(
    db: asyncpg.Connection, user: User, action: str, target: UUID, organization: UUID | None, before: dict, after: dict
) -> None:
    await db.execute(
        AUDIT, user.user_id, user.key_id, action, str(target), organization, before, after, str(uuid4())
    )


@router.put("/organizations/{org_id}/teams/{team_id}", response_model=Team)
async def update_team(org_id: UUID, team_id: UUID, changes: TeamChanges, user: Caller, db: Connection):
    await administered(db, user, org_id)
    try:
        async with db.transaction():
            row = await db.fetchrow(TEAM, team_id, org_id)
            if row is None:
                raise HTTPException(404, "No such team")
            before = {field: row[field] for field in TeamChanges.model_fields}
            after = before | changes.model_dump(exclude_none=True)
            # A change that changes nothing writes nothing.
            if before == after:
                return Team(**row)
            updated_at = await db.fetchval(UPDATE_TEAM, team_id, *after.values())
            await audit(db, user, "team.update", team_id, org_id, before, after)
            return Team(**{**row, **after, "updated_at": updated_at})
    except asyncpg.UniqueViolationError:
        raise HTTPException(409, "Another team in this workspace already has this name: choose a different one") from None


# Concurrent approvals wait at this lock, and find the plan approved.
PLAN = "select * from plan where task_id = $1 for update"

APPROVE = """
with kept as (
  insert into plan_approval (task_id, version, approved_by_user_id, approved_at)
  values ($1, $2, $3, clock_timestamp()) returning *),
started as (
  insert into outbox (topic, key, payload)
  select 'agent_start', task_id || ':' || version, jsonb_build_object('task_id', task_id, 'version', version)
    from kept)
update plan p set approved_version = k.version, approved_by_user_id = k.approved_by_user_id, approved_at = k.approved_at
  from kept k where p.task_id = k.task_id
returning p.*"""


@router.post("/tasks/{task_id}/plan/approve", response_model=Approval)
async def approve_plan(task_id: UUID, user: Caller, db: Connection):
    project_id = await db.fetchval("select project_id from task where id = $1", task_id)
    if project_id is None:
        raise HTTPException(404, "No such task")
    project = await project_for(db, user, project_id, ("owner", "admin", "member"))
    async with db.transaction():
        plan = await db.fetchrow(PLAN, task_id)
        if plan is None:
            raise HTTPException(404, "This task has no plan yet")
        version, previous = plan["version"], plan["approved_version"]
        newly_approved = previous != version
        if newly_approved:
            plan = await db.fetchrow(APPROVE, task_id, version, user.user_id)
            await audit(
                db,
                user,
                "plan.approve",
                task_id,
                project["organization_id"],
                {"approved_version": previous},
                {"approved_version": version},
            )
    return Approval(**plan, newly_approved=newly_approved)
