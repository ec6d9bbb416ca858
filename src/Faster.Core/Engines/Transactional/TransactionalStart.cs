using System.ComponentModel;
using Faster.Engines.Transactional.Redo;
using Faster.Opening;

namespace Faster.Engines.Transactional;

/// <summary>What the opening of a transactional store hands to the store that emitted code makes.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly struct TransactionalStart
{
    internal TransactionalStart(
        TransactionalOptions options, StorePlan plan, IProgress<RecoveryProgress>? progress = null,
        CancellationToken ct = default) => (Options, Plan, Progress, Ct) = (options, plan, progress, ct);

    internal TransactionalOptions Options { get; }

    internal StorePlan Plan { get; }

    internal IProgress<RecoveryProgress>? Progress { get; }

    internal CancellationToken Ct { get; }

    /// <summary>A redo log without a file, in tests.</summary>
    internal RedoLogs? Redo { get; init; }
}
