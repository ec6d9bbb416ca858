using Faster.Workload.Cells;
using Faster.Workload.Experiments;
using Faster.Workload.Experiments.Transactions;
using Faster.Workload.Writes;
using Faster.Ycsb.Reports;

namespace Faster.Ycsb.Plotting;

/// <summary>Chooses the figure that shows a report.</summary>
internal static class ReportPlot
{
    /// <summary>The figure of a report.</summary>
    /// <exception cref="UsageException">There is nothing in it that could be drawn.</exception>
    public static Figure Of(Report report)
    {
        IReadOnlyList<StepResult> all = report.Measurements;
        if (all.OfType<TimelineResult>().ToArray() is { Length: > 0 } timelines)
            return TimelineFigure.Of(timelines);
        if (all.OfType<BufferResult>().ToArray() is { Length: > 0 } buffers)
            return BufferFigure.Of(buffers);
        if (all.OfType<RestResult>().ToArray() is { Length: > 0 } rests)
            return RestFigure.Of(rests);
        if (all.OfType<RunResult>().ToArray() is { Length: > 0 } runs)
            return RunFigure.Of(runs);
        if (all.OfType<LimitResult>().ToArray() is { Length: > 0 } limits)
            return LimitFigure.Of(limits);
        if (all.OfType<SimulationResult>().ToArray() is { Length: > 0 } simulations)
            return SimulationFigure.Of(simulations);
        if (all.OfType<RegionResult>().ToArray() is { Length: > 0 } regions)
            return RegionFigure.Of(regions);
        if (all.OfType<TagResult>().ToArray() is { Length: > 0 } tags)
            return TagFigure.Of(tags);
        if (all.OfType<SliceResult>().ToArray() is { Length: > 0 } slices)
            return SliceFigure.Of(slices);
        if (all.OfType<ChurnResult>().ToArray() is { Length: > 0 } churns)
            return ChurnFigure.Of(churns);
        if (all.OfType<CompactionRunResult>().ToArray() is { Length: > 0 } compactions)
            return CompactionFigure.Of(compactions);
        if (all.OfType<DurableResult>().ToArray() is { Length: > 0 } durable)
            return DurableFigure.Of(durable);
        if (all.OfType<PacedResult>().ToArray() is { Length: > 0 } paced)
            return PacedFigure.Of(paced);
        if (all.OfType<ReplayResult>().ToArray() is { Length: > 0 } replays)
            return ReplayFigure.Of(replays);
        if (all.OfType<TransactionCellResult>().ToArray() is { Length: > 0 } transactions)
            return TransactionFigure.Of(transactions);
        if (all.OfType<CommitWindowsResult>().ToArray() is { Length: > 0 } windows)
            return CommitWindowsFigure.Of(windows);
        if (all.OfType<SmallCommitResult>().ToArray() is { Length: > 0 } small)
            return SmallCommitFigure.Of(small);
        if (all.OfType<HeatResult>().ToArray() is { Length: > 0 } heats)
            return HeatFigure.Of(heats);
        if (all.OfType<HeatTimelineResult>().ToArray() is { Length: > 0 } over)
            return HeatFigure.Of(over);
        return all.OfType<CommitResult>().Any()
            ? CommitFigure.Of(new CommitFigures(all), all[0].Keys)
            : throw new UsageException("The report holds no measurement that could be drawn.");
    }
}
