using Faster.Contracts;
using Faster.Engines.Transactional.Redo;
using Faster.OperationLogs;
using Faster.Probes;

namespace Faster.Engines.Transactional.Running;

/// <summary>How a transaction is published in the redo log, under all of its locks.</summary>
internal sealed unsafe partial class TransactionKeys
{
    /// <summary>The session's way into the redo log; null if the store has none.</summary>
    public SessionRedo? Redo { get; init; }

    private bool _isLate; // of a seeded bug: whether the attempt is yet to be published

    // Everything else that may fail has succeeded: records are made and linked, captures have space.
    private Outcome TryPublish<TKey, TKeys>(scoped ref TKeys keys, SessionRedo redo)
        where TKey : struct, IKey, allows ref struct
        where TKeys : struct, IKeySet<TKey>, allows ref struct
    {
        redo.Begin();
        for (int i = 0; i < Count; i++)
        {
            RecordChange change = _records[i].Change;
            if (change == RecordChange.Set) redo.AddPut(keys.GetKey(_keys[i].Key), _records[i].Current(Buffer));
            else if (change == RecordChange.Delete && _keys[i].Record != null)
                redo.AddRemoval(keys.GetKey(_keys[i].Key));
        }

        return TryPublish(redo, installs: true);
    }

    // A transaction that has changed nothing leaves its number, where it must.
    private Outcome TryPublish(SessionRedo redo, bool installs)
    {
        bool isLate = Probe.On && Probe.Has(SeededBug.AppendAfterRelease);
        LogReservation reservation = default;
        Outcome reserved = isLate ? Outcome.Ok : redo.TryReserve(out reservation);
        if (reserved != Outcome.Ok) return reserved;
        Stamp(installs);
        if (!isLate) redo.Publish(reservation);
        _isLate = isLate;
        return Outcome.Ok;
    }

    private void PublishLate()
    {
        _isLate = false;
        _ = Redo!.TryPublish();
    }
}
