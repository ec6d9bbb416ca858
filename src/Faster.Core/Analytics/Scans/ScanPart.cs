using Faster.Contracts;

namespace Faster.Analytics.Scans;

/// <summary>A log, and the range of it that a scan covers.</summary>
internal readonly record struct ScanPart<TProbe>(LogSource<TProbe> Source, ScanRange Range)
    where TProbe : struct, IProbe;
