using FASTER.core;
using Faster.Workload;
using Faster.Workload.Experiments.Transactions;

namespace Faster.Peer;

/// <summary>
/// FASTER C# in memory, whose lockable contexts lock the keys of a transaction before its operations: sorted, as they
/// must be. Epochs are held for a whole transaction.
/// </summary>
internal sealed class LockableEngine : ITransactionEngine
{
    private const int CacheLine = 64;

    private readonly NullDevice _device = new();
    private readonly FasterKVSettings<long, long> _settings;
    private readonly FasterKV<long, long> _store;

    /// <summary>Opens an empty store.</summary>
    public LockableEngine(EngineShape shape)
    {
        _settings = PeerSettings.Roomy<long>(
            PeerMode.Safe, shape.Keys, PeerSettings.LogBytes(shape), _device);
        _store = new FasterKV<long, long>(_settings);
    }

    /// <inheritdoc/>
    public long? MemoryBytes => _store.Log.TailAddress - _store.Log.HeadAddress
        + (CacheLine * (_store.IndexSize + _store.OverflowBucketCount));

    /// <inheritdoc/>
    public void Load(int keys)
    {
        using var session = PeerSessions.StartSession<long, LockedAdder>(_store, new PeerSink());
        for (long key = 0; key < keys; key++)
        {
            long value = key;
            _ = session.Upsert(ref key, ref value);
        }
    }

    /// <inheritdoc/>
    public ITransactionWorker StartTransactions() =>
        new Worker(PeerSessions.StartSession<long, LockedAdder>(_store, new PeerSink()));

    /// <inheritdoc/>
    public ValueTask DisposeAsync()
    {
        _store.Dispose();
        _settings.Dispose();
        _device.Dispose();
        return ValueTask.CompletedTask;
    }

    private sealed class Worker : ITransactionWorker
    {
        private readonly ClientSession<long, long, long, long, long, PeerFunctions<long, LockedAdder>> _session;
        private readonly LockableUnsafeContext<long, long, long, long, long, PeerFunctions<long, LockedAdder>> _context;
        private FixedLengthLockableKeyStruct<long>[] _locks = [];

        public Worker(ClientSession<long, long, long, long, long, PeerFunctions<long, LockedAdder>> session) =>
            (_session, _context) = (session, session.LockableUnsafeContext);

        public long Run(ReadOnlySpan<long> reads, ReadOnlySpan<long> updates, long amount)
        {
            int count = reads.Length + updates.Length;
            if (_locks.Length < count) _locks = new FixedLengthLockableKeyStruct<long>[count];
            for (int i = 0; i < reads.Length; i++) _locks[i] = new(reads[i], LockType.Shared, _context);
            for (int i = 0; i < updates.Length; i++)
                _locks[reads.Length + i] = new(updates[i], LockType.Exclusive, _context);
            _context.BeginUnsafe();
            _context.BeginLockable();
            try
            {
                _context.SortKeyHashes(_locks, 0, count);
                _context.Lock(_locks, 0, count);
                long sum = RunLocked(reads, updates, amount);
                _context.Unlock(_locks, 0, count);
                return sum;
            }
            finally
            {
                _context.EndLockable();
                _context.EndUnsafe();
            }
        }

        public void Dispose() => _session.Dispose();

        private long RunLocked(ReadOnlySpan<long> reads, ReadOnlySpan<long> updates, long amount)
        {
            long sum = 0;
            foreach (long read in reads)
            {
                long key = read, value = 0;
                if (!_context.Read(ref key, ref value).Found)
                    throw new WrongAnswerException($"FASTER C# lost key {key}.");
                sum += value;
            }

            foreach (long updated in updates)
            {
                long key = updated;
                if (_context.RMW(ref key, ref amount).IsPending)
                    throw new WrongAnswerException("FASTER C# has an operation pending in memory.");
            }

            return sum;
        }
    }
}
