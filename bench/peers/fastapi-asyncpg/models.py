"""What the API answers and takes."""

from datetime import datetime, timezone
from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, PlainSerializer, StringConstraints


def _utc_milliseconds(at: datetime) -> str:
    return at.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


Timestamp = Annotated[datetime, PlainSerializer(_utc_milliseconds, return_type=str)]


class Person(BaseModel):
    email: str
    is_org_member: bool
    is_owner: bool
    source: Literal["org", "override", "collaborator"]
    user_id: UUID
    effective_role: str | None = None
    effective_role_color: str | None = None
    effective_role_name: str | None = None
    hidden_reason: Literal["deactivated", "two_factor_required"] | None = None
    is_active: bool | None = None
    name: str | None = None
    org_role: str | None = None
    org_role_color: str | None = None
    org_role_name: str | None = None
    project_role: str | None = None
    project_role_color: str | None = None
    project_role_name: str | None = None


class Invitation(BaseModel):
    id: UUID
    organization_id: UUID
    email: str
    role: str
    status: Literal["pending", "expired"]
    created_at: Timestamp
    expires_at: Timestamp
    invited_by_name: str
    organization_name: str
    organization_color: str | None = None
    organization_icon: str | None = None
    require_2fa_before_join: bool


class TeamChanges(BaseModel):
    name: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=100)] | None = None
    add_to_new_projects: bool | None = None
    can_create_projects: bool | None = None
    can_merge_production: bool | None = None
    can_merge_staging: bool | None = None


class Team(BaseModel):
    id: UUID
    organization_id: UUID
    name: str
    add_to_new_projects: bool
    can_create_projects: bool
    can_merge_production: bool
    can_merge_staging: bool
    created_at: Timestamp
    updated_at: Timestamp
    member_count: int
    project_count: int


class Approval(BaseModel):
    task_id: UUID
    version: int
    approved_version: int
    approved_at: Timestamp
    approved_by_user_id: UUID
    newly_approved: bool
