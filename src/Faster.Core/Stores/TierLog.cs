using Faster.Compaction;
using Faster.Compaction.Copying;
using Faster.Compaction.Truncation;
using Faster.LogCommits;
using Faster.Opening;
using Faster.Tiers;

namespace Faster.Stores;

/// <summary>A tier's log, with what reclaims its space (paper 000, App. C).</summary>
/// <remarks>Thread-safe as far as its parts are.</remarks>
internal class TierLog
{
    private readonly LogAgeIndex _ages;
    private readonly string _name;

    /// <summary>Makes the parts of a tier; nothing runs yet.</summary>
    /// <param name="name">The name of the log in commits.</param>
    /// <param name="tier">The tier.</param>
    /// <param name="plan">Its plan.</param>
    /// <param name="makeCopier">Makes the copier of live records.</param>
    public TierLog(string name, Tier tier, StorePlan plan, Func<LogTruncation, ILiveRecordCopier> makeCopier)
    {
        (_name, Tier) = (name, tier);
        _ages = new LogAgeIndex(tier.Core.Options.TimeProvider);
        tier.PagedLog!.Writes.Time = tier.Core.Options.TimeProvider;
        Space = new DiskSpace(tier.Storage!, tier.PagedLog.Pins, plan.SpaceUnit);
        Truncation = new LogTruncation(tier, _ages, Space, isAtOnce: plan.Files is null, makeCopier);
    }

    /// <summary>The space that the log takes on its device.</summary>
    public DiskSpace Space { get; }

    /// <summary>Compacts and truncates the log's oldest part.</summary>
    public LogTruncation Truncation { get; }

    /// <summary>The log as commits capture it.</summary>
    public DurableLog Durable => DurableLog.Of(_name, Tier, Truncation, Space, _ages);

    /// <summary>What compaction and truncation have done so far.</summary>
    public CompactionFigures Figures => Truncation.Figures;

    /// <summary>The bytes that the flushed log takes on the device.</summary>
    public long DiskBytes => Space.BytesUpTo(Tier.PagedLog!.FlushedUntilAddress);

    /// <summary>The tier whose log it is.</summary>
    protected Tier Tier { get; }
}
