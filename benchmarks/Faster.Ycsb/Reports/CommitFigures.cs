using Faster.LogCommits;
using Faster.Workload.Experiments;

namespace Faster.Ycsb.Reports;

/// <summary>The figures of a report on commits, by kind and engine; in the order in which they were measured.</summary>
internal sealed class CommitFigures
{
    private readonly CommitResult[] _commits;
    private readonly RecoveryResult[] _recoveries;

    /// <summary>Sorts measurements.</summary>
    public CommitFigures(IReadOnlyList<StepResult> measurements)
    {
        _commits = [.. measurements.OfType<CommitResult>()];
        _recoveries = [.. measurements.OfType<RecoveryResult>()];
    }

    /// <summary>The engines.</summary>
    public IReadOnlyList<string> Engines => [.. _commits.Select(c => c.Engine).Distinct()];

    /// <summary>The kinds of commits.</summary>
    public IReadOnlyList<string> Kinds => [.. _commits.Select(c => c.Kind).Distinct()];

    /// <summary>How many threads worked under load; 0 when none did.</summary>
    public int Threads => _commits.Select(c => c.Threads).DefaultIfEmpty().Max();

    /// <summary>Whether an engine was measured with a kind.</summary>
    public bool Has(string kind, string engine) => _commits.Any(c => c.Kind == kind && c.Engine == engine);

    /// <summary>The seconds of commits at rest.</summary>
    public IEnumerable<double> AtRest(string kind, string engine) =>
        Commits(kind, engine, atRest: true).Select(c => c.CommitSeconds);

    /// <summary>The seconds of commits under load.</summary>
    public IEnumerable<double> UnderLoad(string kind, string engine) =>
        Commits(kind, engine, atRest: false).Select(c => c.CommitSeconds);

    /// <summary>The bytes written by commits at rest.</summary>
    public IEnumerable<double> BytesAtRest(string kind, string engine) =>
        Commits(kind, engine, atRest: true).Where(c => c.BytesWritten.HasValue).Select(c => (double)c.BytesWritten!);

    /// <summary>The throughput before commits.</summary>
    public IEnumerable<double> Before(string kind, string engine) =>
        Commits(kind, engine, atRest: false).Select(c => c.BeforePerSecond ?? double.NaN);

    /// <summary>The throughput during commits.</summary>
    public IEnumerable<double> During(string kind, string engine) =>
        Commits(kind, engine, atRest: false).Select(c => c.OperationsPerSecond);

    /// <summary>The lowest throughput during commits.</summary>
    public IEnumerable<double> Worst(string kind, string engine) =>
        Commits(kind, engine, atRest: false).Select(c => c.WorstPerSecond ?? double.NaN);

    /// <summary>The throughput during commits in percent of that before the same commit.</summary>
    public IEnumerable<double> DuringPercent(string kind, string engine) =>
        During(kind, engine).Zip(Before(kind, engine), Percent);

    /// <summary>The lowest throughput during commits in percent of that before the same commit.</summary>
    public IEnumerable<double> WorstPercent(string kind, string engine) =>
        Worst(kind, engine).Zip(Before(kind, engine), Percent);

    /// <summary>The seconds of recoveries of what was committed at rest.</summary>
    public IEnumerable<double> Recovery(string kind, string engine) => _recoveries
        .Where(r => r.Kind == kind && r.Engine == engine && r.CommitThreads == 0).Select(r => r.RecoverySeconds);

    private IEnumerable<CommitResult> Commits(string kind, string engine, bool atRest) =>
        _commits.Where(c => c.Kind == kind && c.Engine == engine && c.Threads == 0 == atRest);

    private static double Percent(double part, double whole) => 100 * part / whole;
}
