namespace Faster.Analytics.Scans;

/// <summary>A log, and the range of it that a scan covers.</summary>
internal readonly record struct ScanPart(LogSource Source, ScanRange Range);
