"""The pool of connections, and the dependencies that hand out one of them and the caller."""

import hashlib
import json
import os
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Annotated
from uuid import UUID

import asyncpg
from fastapi import Depends, HTTPException, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer


async def _json_as_text(connection: asyncpg.Connection) -> None:
    await connection.set_type_codec("jsonb", encoder=json.dumps, decoder=json.loads, schema="pg_catalog")


def open_pool() -> asyncpg.Pool:
    return asyncpg.create_pool(os.environ["DATABASE_URL"], min_size=10, max_size=10, init=_json_as_text)


async def connection(request: Request) -> AsyncIterator[asyncpg.Connection]:
    async with request.app.state.pool.acquire() as acquired:
        yield acquired


Connection = Annotated[asyncpg.Connection, Depends(connection)]


@dataclass(slots=True)
class User:
    user_id: UUID
    key_id: UUID
    two_factor: bool


CALLER = """
select u.id as user_id, k.id as key_id, u.two_factor
  from api_key k join app_user u on u.id = k.user_id
 where k.secret_hash = $1 and k.revoked_at is null and u.is_active
   and (k.expires_at is null or k.expires_at > now())"""


async def caller(
    db: Connection,
    credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(HTTPBearer(auto_error=False))],
) -> User:
    """Whose key the request carries; 401 when it opens nothing now."""
    if credentials is None:
        raise HTTPException(401, "Not authenticated")
    row = await db.fetchrow(CALLER, hashlib.sha256(credentials.credentials.encode()).digest())
    if row is None:
        raise HTTPException(401, "Invalid API key")
    return User(**row)


Caller = Annotated[User, Depends(caller)]
