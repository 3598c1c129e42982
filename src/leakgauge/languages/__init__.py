"""What is written for people, in English or Chinese.

English is the language of the source: a template such as ``"{rows} rows"`` is its own English text and the key of its
translation. A sentence that is stored in a file is stored as its template and fields, and told by looking the template
up; a text that no catalogue has is shown as it is.
"""

from leakgauge.languages.language import CODES, DOMAINS, ENGLISH, Language, language_of, message, translations

__all__ = ["CODES", "DOMAINS", "ENGLISH", "Language", "language_of", "message", "translations"]
