"""Who may do what."""

from uuid import UUID

import asyncpg
from fastapi import HTTPException

from database import User

# The view names everyone who can open a project, and the role they act with.
ON_PROJECT = """
select p.id, p.organization_id, person.acts_as, person.hidden_reason
  from project p left join project_person person on person.project_id = p.id and person.user_id = $2
 where p.id = $1"""

IN_ORGANIZATION = """
select o.*, case when o.owner_user_id = m.user_id then 'owner' else r.acts_as end as acts_as
  from organization o
  left join membership m on m.organization_id = o.id and m.user_id = $2
  left join role r on r.id = m.role_id
 where o.id = $1"""


async def project_for(db: asyncpg.Connection, user: User, project_id: UUID, roles: tuple[str, ...]) -> asyncpg.Record:
    """The project, for those who act on it with one of the roles; 404 when there is none, 403 for the others."""
    project = await db.fetchrow(ON_PROJECT, project_id, user.user_id)
    if project is None:
        raise HTTPException(404, "No such project")
    if project["hidden_reason"] is not None or project["acts_as"] not in roles:
        raise HTTPException(403, "Not allowed")
    return project


async def administered(db: asyncpg.Connection, user: User, organization_id: UUID) -> asyncpg.Record:
    """The workspace, for its owner and its admins; 404 when there is none, 403 for everybody else."""
    organization = await db.fetchrow(IN_ORGANIZATION, organization_id, user.user_id)
    if organization is None:
        raise HTTPException(404, "No such workspace")
    if organization["acts_as"] not in ("owner", "admin") or (organization["require_2fa"] and not user.two_factor):
        raise HTTPException(403, "Not allowed")
    return organization
