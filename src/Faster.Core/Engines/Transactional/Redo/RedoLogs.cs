using Faster.OperationLogs;
using Faster.Operations.Journaling;
using Faster.Tiers;

namespace Faster.Engines.Transactional.Redo;

/// <summary>
/// The redo log of a transactional store, as its sessions share it: one operation log, in which a record has all that a
/// transaction has changed (docs/internals/transaction-log.md).
/// </summary>
/// <remarks>
/// <para>Invariants, besides those of <see cref="SharedLogs"/>:</para>
/// <list type="bullet">
/// <item>A transaction is published under all of its locks, before it is installed. So whatever it has built on lies
/// before it in the log, and a crash, which leaves a prefix of the log, leaves with a transaction all of that.</item>
/// </list>
/// <para>Thread-safe.</para>
/// </remarks>
internal sealed class RedoLogs : SharedLogs
{
    /// <summary>One: with more, a crash could leave a transaction without what it has built on.</summary>
    public const int Count = 1;

    /// <summary>Whether a transaction ends for its caller when it is durable.</summary>
    public required bool Waits { get; init; }

    /// <summary>The units that have published a part of what they do.</summary>
    public OpenUnits Units { get; } = new();

    /// <summary>
    /// Waits until the units have ended that were open before: a recovery leaves out what is in the log from the first
    /// record of a unit on that is not whole.
    /// </summary>
    /// <param name="core">What the store's parts share.</param>
    /// <exception cref="FasterException">One has failed, or is open for longer than the stall limit.</exception>
    public void WaitForUnits(StoreCore core) => Units.Wait(core.Sessions.ThrowIfUnitFailed, core.StallLimit);
}
