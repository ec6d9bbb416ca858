using Faster.Contracts;

namespace Faster.Engines.Transactional.Running;

/// <summary>The records of a dynamic transaction, as the engine finds and locks them.</summary>
internal sealed class LockedRecords(TransactionKeys keys) : DynamicRecords
{
    /// <summary>Why the attempt has ended, or <see cref="Outcome.Ok"/>.</summary>
    public Outcome Ended { get; private set; }

    /// <inheritdoc/>
    public override ValueBuffer Buffer => keys.Buffer;

    /// <summary>Begins an attempt.</summary>
    public void Begin()
    {
        keys.BeginDynamic();
        Ended = Outcome.Ok;
    }

    /// <inheritdoc/>
    public override ref TransactionRecord Find(scoped ReadOnlySpan<byte> key, RecordAccess access)
    {
        int place = 0;
        if (Ended == Outcome.Ok) Ended = keys.TryFind(key, access, out place);
        if (Ended != Outcome.Ok) throw new AttemptEndedException();
        return ref keys.RecordAt(place);
    }
}
