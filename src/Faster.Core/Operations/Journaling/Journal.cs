using Faster.OperationLogs;

namespace Faster.Operations.Journaling;

/// <summary>
/// The operation logs in front of a store over hybrid logs whose every operation is durable: what its sessions share
/// (docs/internals/each-operation.md).
/// </summary>
/// <remarks>
/// <para>Invariants, besides those of <see cref="SharedLogs"/>:</para>
/// <list type="bullet">
/// <item>A change of a key is published in a log before it is installed in memory, both under the lock of the key's
/// stripe. So whoever has seen a change in memory takes its tickets after that change was published.</item>
/// </list>
/// <para>Thread-safe.</para>
/// </remarks>
internal sealed class Journal : SharedLogs, IDisposable
{
    /// <summary>The locks that order the changes of a key.</summary>
    public StripeLocks Stripes { get; } = new();

    /// <summary>Whether a read is complete only when what it has read is durable.</summary>
    public bool ReadsAwait { get; init; }

    /// <inheritdoc/>
    public override void Begin(LogSet logs, long counter)
    {
        Stripes.BeginAbove(counter);
        base.Begin(logs, counter);
    }

    /// <summary>The ticket that a read of a key waits for; <see cref="SharedLogs.NoTicket"/> if none.</summary>
    public long TicketOfRead(ulong hash) => ReadsAwait ? TicketOf(hash) : NoTicket;

    /// <summary>The ticket for what was found of a key; <see cref="SharedLogs.NoTicket"/> if it is durable.</summary>
    /// <remarks>
    /// A writer sets its stripe's place after it has published and before it installs: so whoever has seen the change
    /// finds that place, or a later one.
    /// </remarks>
    public long TicketOf(ulong hash) =>
        Logs.IsDurable(Stripes.PlaceOf(StripeLocks.Of(hash))) ? NoTicket : Logs.TakeTicket();

    /// <summary>Frees the locks. No session uses them any more.</summary>
    public void Dispose() => Stripes.Dispose();
}
