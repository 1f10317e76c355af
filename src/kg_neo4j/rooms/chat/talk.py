"""Chat: a conversation with the graph. A follow-up is first brought into a form that stands by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kg_neo4j import factory
from kg_neo4j.errors import UsageError
from kg_neo4j.graph.connection import connect
from kg_neo4j.pipeline.budget import budget_of
from kg_neo4j.pipeline.commands.ask import Answerer, answerer
from kg_neo4j.progress import SILENT, Progress
from kg_neo4j.records import Answer, Usage
from kg_neo4j.retrieve.checking.claims import plain_text
from kg_neo4j.retrieve.interface import AskOptions
from kg_neo4j.retrieve.question import MAX_CHARACTERS, read

if TYPE_CHECKING:
    from kg_neo4j.rooms.chat.turns import Turn, Understood
    from kg_neo4j.settings import Settings

HISTORY_TOKENS = 1_000


@dataclass(frozen=True, slots=True)
class ChatReply:
    """One turn. `answer.question` is the question as it was understood, `asked` as it was typed."""

    asked: str
    answer: Answer
    rewritten_by: str = ""  # "rule" or "model"; empty where the question stood by itself
    why: str = ""  # why the model's rewriting was not used


class Chat:
    """A conversation: questions, one after the other, over one connection. Get one from `chat`.

    What was said is kept in memory alone; of long conversations the last turns.
    """

    def __init__(self, asking: Answerer, options: AskOptions, history_tokens: int = HISTORY_TOKENS) -> None:
        self._asking = asking
        self._history_tokens = history_tokens
        self.options = options
        self.turns: tuple[Turn, ...] = ()

    def ask(self, question: str, on_token: Callable[[str], None] | None = None) -> ChatReply:
        """Answer a question, or a follow-up to those before. Raises as `pipeline.ask`, and BudgetReached.

        A question that raises is no turn of the conversation, nor is small talk ("thanks"), for which nothing is read.
        """
        from kg_neo4j.rooms.chat.small_talk import REPLY, is_small_talk
        from kg_neo4j.rooms.chat.turns import ReadTurn, remember

        asked = read(question)
        if is_small_talk(question):
            return ChatReply(question, Answer(question, self.options.mode, REPLY, False, (), (), Usage(), 0.0))
        self._asking.database.indexes = None  # minutes may lie between two questions: each is a run of its own
        understood = self._understand(question)
        asked = asked if understood.question == question else read(understood.question)
        answer = self._asking.answer(asked, self.options, on_token)
        answer = replace(answer, usage=understood.usage + answer.usage)
        said = replace(answer, answer=plain_text(answer.answer))  # marks mean nothing to the next question
        turn = self._asking.door.do(ReadTurn(self._asking.database, self._asking.settings.graph, said))
        self.turns = remember(self.turns, turn)
        return ChatReply(question, answer, understood.by, understood.why)

    def switch(self, mode: str) -> None:
        """Answer further questions in another mode. Raises UsageError where there is no such mode."""
        self.options = replace(self.options, mode=mode, level=None)

    def reset(self) -> None:
        """Forget what was said."""
        self.turns = ()

    def _understand(self, question: str) -> Understood:
        from kg_neo4j.rooms.chat.turns import Understand, Understood

        if not self.turns or len(question) > MAX_CHARACTERS:  # nobody refers at such length
            return Understood(question)
        job = Understand(question, self.turns, self._asking.tokeniser, self._history_tokens)
        return self._asking.door.again().do(job)


@contextmanager
def chat(
    *,
    settings: Settings,
    options: AskOptions | None = None,
    budget_usd: float | None = None,
    history_tokens: int = HISTORY_TOKENS,
    progress: Progress = SILENT,
) -> Iterator[Chat]:
    """Yield a conversation with the graph that the settings mean. Nothing in the graph is changed.

    `budget_usd` bounds what all its calls cost together; `history_tokens` what a model is shown of earlier turns.
    """
    if history_tokens < 1:
        raise UsageError(f"history_tokens is at least 1, not {history_tokens}")
    options = options or AskOptions()
    budget = budget_of(budget_usd)
    with connect(settings, progress) as database:
        yield Chat(
            answerer(settings, database, factory.door(settings, budget=budget), budget=budget), options, history_tokens
        )
