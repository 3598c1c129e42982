"""Routes: what can be asked of the page's server, and what comes back."""

from __future__ import annotations

import asyncio
import json
import os
import re
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, Final

from anyio import to_thread
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from leakgauge import __version__
from leakgauge.errors import InternalError, LeakgaugeError, RefusalError
from leakgauge.languages import CODES, Language, translations
from leakgauge.report.reading import read_dossier
from leakgauge.web.answers import Answers, Remembered, while_awaited
from leakgauge.web.duration import expected
from leakgauge.web.job import Job
from leakgauge.web.jobs import Jobs
from leakgauge.web.questions import (
    DECLARED,
    SHOWN,
    TableQuestion,
    UnknownError,
    body_of,
    fields_of,
    language_asked,
    question_in,
    refused,
    request_in,
    text_in,
    texts_in,
)
from leakgauge.web.rendering import TEMPLATES
from leakgauge.web.showing import all_files, picture, report_in, report_policy, result_fields, survey_fields
from leakgauge.web.workspace import Workspace

_HERE: Final = Path(__file__).parent
_TYPES: Final = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".png": "image/png"}

_MIB: Final = 1 << 20

Endpoint = Callable[[Request], Awaitable[Response]]


class Page:
    """The answers to every route."""

    def __init__(self, workspace: Workspace, jobs: Jobs) -> None:
        self._workspace = workspace
        self._jobs = jobs
        self._answers = Answers(workspace)
        self._drawn = Remembered()
        # Read once: the first view must not wait for it.
        self._shown, self._places_form = map(TEMPLATES.get_template, ("page.html", "places.html"))

    def routes(self) -> list[Route]:
        """Every address with its answer."""
        given: tuple[tuple[str, str, Endpoint], ...] = (
            ("GET", "/", self._page),
            ("GET", "/places", self._places),
            ("GET", "/static/{name}", self._static),
            ("GET", "/messages/{code}.json", self._messages),
            ("GET", "/api/state", self._state),
            ("GET", "/api/files", self._files),
            ("POST", "/api/tables", self._open),
            ("DELETE", "/api/tables/{table}", self._remove),
            ("PUT", "/api/drop", self._drop),
            ("POST", "/api/measure", self._asking(self._answers.measure)),
            ("POST", "/api/frontier", self._asking(self._answers.frontier)),
            ("POST", "/api/what-if", self._what_if),
            ("POST", "/api/survey", self._survey),
            ("POST", "/api/profile", self._asking(self._answers.profile)),
            ("POST", "/api/preview", self._preview),
            ("POST", "/api/expected", self._expected),
            ("POST", "/api/jobs", self._start),
            ("GET", "/api/jobs/{job}", self._job),
            ("GET", "/api/jobs/{job}/events", self._events),
            ("POST", "/api/jobs/{job}/stop", self._stop),
            ("GET", "/api/jobs/{job}/result", self._result),
            ("GET", "/api/jobs/{job}/figures/{name}.svg", self._figure),
            ("GET", "/jobs/{job}/report", self._report),
            ("GET", "/jobs/{job}/report.pdf", self._pdf),
            ("GET", "/jobs/{job}/all.zip", self._all),
            ("GET", "/jobs/{job}/files/{name}", self._file),
        )
        return [Route(path, self._answering(endpoint), methods=[method]) for method, path, endpoint in given]

    def _answering(self, endpoint: Endpoint) -> Endpoint:
        """The endpoint, its failures told as answers."""

        async def answer(request: Request) -> Response:
            try:
                return await endpoint(request)
            except ClientDisconnect:
                return Response(status_code=400)
            except Exception as error:
                failure = self._failure(error)
            return refused(request, failure)

        return answer

    def _failure(self, error: Exception) -> LeakgaugeError:
        """The error as people are told of it."""
        if isinstance(error, LeakgaugeError):
            return self._workspace.told(error)
        if os.environ.get("LEAKGAUGE_DEBUG"):
            traceback.print_exception(error)
        # Not the message: it could quote a value of the table.
        return InternalError(
            "A bug in Leakgauge ({kind}); serve with LEAKGAUGE_DEBUG=1 for the details and report it.",
            kind=type(error).__name__,
        )

    async def _page(self, request: Request) -> Response:
        language = language_asked(request)
        scripts = sorted(path.name for path in (_HERE / "static").glob("*.js"))
        shown = self._shown.render(language=language.code, scripts=scripts)
        return HTMLResponse(shown, headers={"Vary": "Cookie, Accept-Language"})

    async def _places(self, request: Request) -> Response:
        """The form, or the report on what it asks; what is wrong with the question is said above the form."""
        from leakgauge.web.places import PlacesQuestion, places_report

        asked, language, complaint = PlacesQuestion.of(request.query_params), language_asked(request), ""
        table = next((one for one in self._workspace.tables() if one.key == asked.table), None)
        if table is not None and asked.is_complete and "show" in request.query_params:
            opened = table
            try:
                await to_thread.run_sync(self._workspace.require_unchanged, opened)
                question = ("places", opened.digest, asked, language.code)
                shown = await self._drawn.once(question, lambda: places_report(opened, asked, language))
                return HTMLResponse(shown, headers={"Content-Security-Policy": report_policy()})
            except LeakgaugeError as error:
                complaint = language.error(self._workspace.told(error))
        form = self._places_form.render(
            language=language.code,
            say=language.say,
            tables=self._workspace.tables(),
            table=table,
            asked=asked.suggested(table),
            complaint=complaint,
        )
        return HTMLResponse(form, headers={"Vary": "Cookie, Accept-Language"})

    async def _static(self, request: Request) -> Response:
        name = request.path_params["name"]
        known = {path.name: path for path in (_HERE / "static").iterdir() if path.suffix in _TYPES}
        if name not in known:
            raise _nothing_here()
        # Asked for again each time, but from memory where it is the same.
        kind = _TYPES[known[name].suffix]
        return FileResponse(known[name], media_type=kind, headers={"Cache-Control": "no-cache"})

    async def _messages(self, request: Request) -> Response:
        code = request.path_params["code"]
        if code not in CODES:
            raise _nothing_here()
        return JSONResponse(translations(code, "page"))

    async def _state(self, request: Request) -> Response:
        language = language_asked(request)
        jobs = self._jobs.all()
        return JSONResponse(
            {
                "version": __version__,
                "folder": self._workspace.folder.name,
                "tables": [table.fields(language) for table in self._workspace.tables()],
                "jobs": await to_thread.run_sync(lambda: [job.fields(language) for job in jobs]),
                "declared": [name for name in DECLARED if name in SHOWN],
                "limit_bytes": self._workspace.limit,
                "limit": f"{self._workspace.limit / _MIB:,.6g}",
                "limit_total_bytes": self._workspace.total,
                "dropped_bytes": self._workspace.dropped,
            }
        )

    async def _files(self, request: Request) -> Response:
        return JSONResponse({"files": await to_thread.run_sync(self._workspace.files)})

    async def _open(self, request: Request) -> Response:
        path = text_in(await fields_of(request), "path")
        table = await to_thread.run_sync(self._workspace.open, path)
        self._answers.prepare()
        return JSONResponse(table.fields(language_asked(request)))

    async def _drop(self, request: Request) -> Response:
        announced = request.headers.get("content-length", "")
        length = int(announced) if announced.isdecimal() else None
        table = await self._workspace.drop(request.query_params.get("name", ""), length, body_of(request))
        self._answers.prepare()
        return JSONResponse(table.fields(language_asked(request)))

    async def _remove(self, request: Request) -> Response:
        table = self._workspace.table(request.path_params["table"])
        if self._jobs.is_at_work_on(table):
            raise RefusalError("A job is running on {name!r}; wait for it, or stop it first.", name=table.name)
        self._workspace.remove(table)
        language = language_asked(request)
        return JSONResponse({"tables": [one.fields(language) for one in self._workspace.tables()]})

    def _asking(self, answer: Callable[[TableQuestion, Language], Coroutine[Any, Any, object]]) -> Endpoint:
        """The endpoint of a question about a table, given up when the one who asked goes away."""

        async def asked(request: Request) -> Response:
            question = question_in(await fields_of(request))
            return JSONResponse(await while_awaited(request, answer(question, language_asked(request))))

        return asked

    async def _what_if(self, request: Request) -> Response:
        fields = dict(await fields_of(request))
        known = texts_in({"known": fields.pop("known", None)}, "known")
        learnt = self._answers.what_if(question_in(fields), known, language_asked(request))
        return JSONResponse(await while_awaited(request, learnt))

    async def _survey(self, request: Request) -> Response:
        question, language = question_in(await fields_of(request)), language_asked(request)
        # Once lines are under way the status is told: what can be refused by it is asked first.
        await to_thread.run_sync(self._workspace.require_unchanged, self._workspace.table(question.table))

        async def lines() -> AsyncIterator[str]:
            """How much is done of how much, and then the survey or why there is none, as lines of JSON."""
            heard: asyncio.Queue[tuple[int, int] | None] = asyncio.Queue()
            looking = asyncio.create_task(self._answers.survey(question, lambda *done: heard.put_nowait(done)))
            looking.add_done_callback(lambda _: heard.put_nowait(None))
            try:
                while (done := await heard.get()) is not None:
                    yield json.dumps({"done": done[0], "total": done[1]}) + "\n"
                answer: dict[str, object] = {"survey": survey_fields(await looking, language)}
            except Exception as error:
                answer = {"error": language.error(self._failure(error))}
            finally:
                looking.cancel()
            yield json.dumps(answer) + "\n"

        return StreamingResponse(lines(), media_type="application/x-ndjson")

    async def _preview(self, request: Request) -> Response:
        fields = dict(await fields_of(request))
        # Masked unless the values are asked for in so many words.
        masked = fields.pop("values", None) is not True
        return JSONResponse(await while_awaited(request, self._answers.preview(question_in(fields), masked)))

    async def _expected(self, request: Request) -> Response:
        """How long a job is expected to take: as the last one on the same table did, or by what there is to count."""
        fields, language = await fields_of(request), language_asked(request)
        table = self._workspace.table(text_in(fields, "table"))
        last = next((job.seconds for job in self._jobs.all() if job.table == table.name and job.seconds), None)
        return JSONResponse({"told": expected(table, fields, self._answers.values(table), last, language)})

    async def _start(self, request: Request) -> Response:
        question = request_in(await fields_of(request))
        table = self._workspace.table(question.table)
        await to_thread.run_sync(self._workspace.require_unchanged, table)
        await to_thread.run_sync(self._workspace.require_beside, table, question)
        job = await self._jobs.start(question, table)
        return JSONResponse(await _fields(job, language_asked(request)), 202)

    async def _job(self, request: Request) -> Response:
        return JSONResponse(await _fields(self._asked_job(request), language_asked(request)))

    async def _events(self, request: Request) -> Response:
        stream = _told(self._jobs.changes(self._asked_job(request)), language_asked(request))
        return StreamingResponse(stream, media_type="text/event-stream")

    async def _stop(self, request: Request) -> Response:
        job = self._asked_job(request)
        await self._jobs.stop(job)
        return JSONResponse(await _fields(job, language_asked(request)))

    async def _result(self, request: Request) -> Response:
        job, language = self._asked_job(request), language_asked(request)
        question = ("result", job.version(), job.state, language.code)
        with _files_of(job):
            return JSONResponse(await self._drawn.once(question, lambda: result_fields(job, language)))

    async def _figure(self, request: Request) -> Response:
        job, language = self._asked_job(request), language_asked(request)
        name, given = request.path_params["name"], request.query_params.get("secret", "")
        # The place of the secret that is asked about; None of the one that decides.
        place = int(given) if given.isdecimal() and len(given) < 9 else None
        question = ("figure", job.version(), name, place, language.code)
        with _files_of(job):
            drawn = await self._drawn.once(question, lambda: picture(name, job, place, language))
        return Response(drawn, media_type="image/svg+xml", headers={"Vary": "Cookie, Accept-Language"})

    async def _report(self, request: Request) -> Response:
        shown, _ = await self._reported(request, "html")
        return HTMLResponse(shown, headers={"Content-Security-Policy": report_policy()})

    async def _pdf(self, request: Request) -> Response:
        made, name = await self._reported(request, "pdf")
        return Response(made, media_type="application/pdf", headers=_to_keep(name))

    async def _reported(self, request: Request, form: str) -> tuple[str | bytes, str]:
        """A report in the edition and the language asked for, and the name of its file."""
        job, asked = self._asked_job(request), request.query_params
        edition, language = asked.get("edition", "internal"), asked.get("language", language_asked(request).code)
        with _files_of(job):
            made = await self._drawn.once(
                (form, job.version(), edition, language), lambda: report_in(form, job.folder, edition, language)
            )
        return made, f"{job.key}-{edition}-{language}.{form}"

    async def _all(self, request: Request) -> Response:
        job = self._asked_job(request)
        packed = await to_thread.run_sync(all_files, job)

        def pieces() -> Iterator[bytes]:
            with packed:
                while piece := packed.read(1 << 16):
                    yield piece

        return StreamingResponse(pieces(), media_type="application/zip", headers=_to_keep(f"{job.key}.zip"))

    async def _file(self, request: Request) -> Response:
        place = self._asked_job(request).path(request.path_params["name"])
        if place is None:
            raise UnknownError("This job has no such file; look at the list of its files.")
        return FileResponse(place, media_type="application/octet-stream", filename=place.name)

    def _asked_job(self, request: Request) -> Job:
        return self._jobs.job(request.path_params["job"])


async def _told(changes: AsyncIterator[Job], language: Language) -> AsyncIterator[str]:
    """A job's changes as server-sent events."""
    async for job in changes:
        yield f"data: {json.dumps(await _fields(job, language))}\n\n"


async def _fields(job: Job, language: Language) -> dict[str, object]:
    """The job for the page; beside the loop, which must not wait for a disk or for what the first one loads."""
    return await to_thread.run_sync(job.fields, language)


def _to_keep(name: str) -> dict[str, str]:
    """The headers of a file to keep; ids of jobs and names of editions and languages need no quoting."""
    return {"Content-Disposition": f'attachment; filename="{re.sub("[^A-Za-z0-9._-]", "-", name)}"'}


@contextmanager
def _files_of(job: Job) -> Iterator[None]:
    """Refuse the files of a job that was only found here where they are not whole; whatever else fails is a bug."""
    try:
        yield
    except LeakgaugeError:
        raise
    except Exception:
        if not job.started_here:
            read_dossier(job.folder)
        raise


def _nothing_here() -> UnknownError:
    return UnknownError("There is nothing at this address; open the page itself.")


async def _no_route(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 404
    return refused(request, _nothing_here(), status)


def application(workspace: Workspace, jobs: Jobs) -> Starlette:
    """The page's server, without its guard: what ends with it is ended."""

    @asynccontextmanager
    async def until_the_end(_: Any) -> AsyncIterator[None]:
        try:
            yield
        finally:
            await jobs.close()
            workspace.close()

    handlers: dict[Any, Any] = {HTTPException: _no_route}
    return Starlette(routes=Page(workspace, jobs).routes(), exception_handlers=handlers, lifespan=until_the_end)
