"""Reports: a document as data, written as HTML, Markdown, PDF or JSON, in two languages and two editions."""

from leakgauge.report.document import Document
from leakgauge.report.report import Report
from leakgauge.telling.blocks import Edition

__all__ = ["Document", "Edition", "Report"]
