"""Four operations of Guildhall as FastAPI and asyncpg teach them. `python main.py` serves them."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import uvicorn
from fastapi import FastAPI

import reading
import writing
from database import open_pool


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    async with open_pool() as pool:
        app.state.pool = pool
        yield


app = FastAPI(title="FastAPI + asyncpg", lifespan=lifespan)
app.include_router(reading.router)
app.include_router(writing.router)


class Server(uvicorn.Server):
    """Says `ready` once it listens."""

    async def startup(self, sockets=None) -> None:
        await super().startup(sockets)
        if self.started:
            print("ready", flush=True)


if __name__ == "__main__":
    Server(
        uvicorn.Config(
            app,
            host=os.environ.get("HOST", "127.0.0.1"),
            port=int(os.environ.get("PORT", "3000")),
            loop="uvloop",
            http="httptools",
            log_level="warning",
            access_log=False,
        )
    ).run()
