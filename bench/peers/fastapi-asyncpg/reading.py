"""The two lists."""

from uuid import UUID

from fastapi import APIRouter

from database import Caller, Connection
from models import Invitation, Person
from rights import administered, project_for

router = APIRouter(prefix="/api")

PEOPLE = """
select email, is_org_member, is_owner, source, user_id, effective_role, effective_role_color, effective_role_name,
       hidden_reason, hidden_reason is null as is_active, name, org_role, org_role_color, org_role_name,
       project_role, project_role_color, project_role_name
  from project_person
 where project_id = $1 and ($2 or hidden_reason is null)
 order by case when is_owner then 0 when is_org_member then 1 else 2 end, name is null,
          coalesce(lower(name), '') collate "C", email collate "C", user_id"""

INVITATIONS = """
select i.id, i.organization_id, i.email, r.slug as role,
       case when i.expires_at > now() then 'pending' else 'expired' end as status,
       i.created_at, i.expires_at, i.invited_by_name
  from invitation i join role r on r.id = i.role_id
 where i.organization_id = $1 and i.status = 'pending'
 order by i.created_at desc, i.id desc"""


@router.get("/projects/{project_id}/people", response_model=list[Person], response_model_exclude_none=True)
async def list_people(project_id: UUID, user: Caller, db: Connection):
    project = await project_for(db, user, project_id, ("owner", "admin", "member", "viewer"))
    rows = await db.fetch(PEOPLE, project_id, project["acts_as"] in ("owner", "admin"))
    return [Person(**row) for row in rows]


@router.get("/organizations/{org_id}/invitations", response_model=list[Invitation], response_model_exclude_none=True)
async def list_pending_invitations(org_id: UUID, user: Caller, db: Connection):
    """Newest first. The link that Guildhall derives from its secret is left out."""
    organization = await administered(db, user, org_id)
    shared = {
        "organization_name": organization["name"],
        "organization_color": organization["color"],
        "organization_icon": organization["icon"],
        "require_2fa_before_join": organization["require_2fa"],
    }
    return [Invitation(**row, **shared) for row in await db.fetch(INVITATIONS, org_id)]
