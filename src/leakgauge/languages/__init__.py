"""What is written for people, in English or Chinese.

English is the language of the source: a template such as ``"{rows} rows"`` is its own English text and the key of its
translation. A sentence that was made from a template elsewhere, and perhaps stored in a file, is told again by finding
the template it was made from.
"""

from leakgauge.languages.language import CODES, DOMAINS, ENGLISH, Language, language_of
from leakgauge.languages.marking import message

__all__ = ["CODES", "DOMAINS", "ENGLISH", "Language", "language_of", "message"]
