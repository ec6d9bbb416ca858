using System.Buffers;
using Faster.Compaction.Copying;
using Faster.Contracts;
using Faster.Expiry;
using Faster.Index.Entries;
using Faster.Log.Records;
using Faster.LogSessions;
using Faster.OperationLogs;
using Faster.Operations;
using Faster.Operations.Large;
using Faster.Tiers;

namespace Faster.LogCommits;

/// <summary>
/// Carries out once more what the operation logs have and the recovered commit lacks, before any session is started.
/// </summary>
/// <remarks>
/// It links records as they were journaled and runs no user code. A crash meanwhile leads to the same commit and the
/// same logs. Not thread-safe; runs once.
/// </remarks>
/// <param name="session">A session of the store's own.</param>
/// <param name="tier">The tier that is written.</param>
internal sealed unsafe class JournalReplay(HashSession session, Tier tier)
{
    private readonly OperationRunner _runner = session.RunnerOf(tier);

    /// <summary>Carries out the changes.</summary>
    /// <param name="scan">What the logs have.</param>
    /// <param name="ct">Ends the recovery, which changes nothing in the folder.</param>
    /// <exception cref="StorageException">The log can't be written.</exception>
    public void Run(JournalScan scan, CancellationToken ct)
    {
        foreach ((ulong hash, nint record) in scan.Changes())
        {
            ct.ThrowIfCancellationRequested();
            Carry(hash, LogRecord.At(record));
        }

        _ = session.CompletePending(wait: true);
    }

    private void Carry(ulong hash, LogRecord record)
    {
        long expiry = record.Expiry ?? RecordExpiry.Never;
        Lifetime life = expiry == RecordExpiry.Never ? Lifetime.Of(0) : Lifetime.Until(expiry);
        if (session.Life != life) session.SetLife(life); // so the store knows that it has records that expire
        fixed (byte* slot = record.Key, value = record.ValueBytes)
        {
            var key = new RecordKey(slot, record.Key.Length, hash);
            if (tier.Layout.ValueSize == 0
                && LargeValues.IsOversized(tier.Log, record.Key.Length, record.ValueBytes.Length))
            {
                Carry(key, record.ValueBytes.ToArray());
                return;
            }

            ulong flags = record.Kind switch
            {
                LogRecordKind.Remove => RecordHeader.Tombstone,
                LogRecordKind.Delta => RecordHeader.Delta,
                _ => 0,
            };
            var operation = new RawInsert(value, record.ValueBytes.Length, flags, expiry);
            Outcome outcome = _runner.TryOnce<ConditionalInsertAlgorithm<HashEntries, RawInsert>, RecordKey, RawInsert>(
                key, hash, ref operation, null);
            _ = _runner.RetryUntilDone<ConditionalInsertAlgorithm<HashEntries, RawInsert>, RecordKey, RawInsert>(
                key, hash, ref operation, outcome);
        }
    }

    private void Carry(RecordKey key, byte[] value)
    {
        ValueTask<Status> done = SequenceOperations.UpsertAsync(
            session, key, new ReadOnlySequence<byte>(value), CancellationToken.None);
        _ = session.CompletePending(wait: true);
        _ = done.AsTask().GetAwaiter().GetResult();
    }

    // A record that is newer than all that its key has.
    private readonly struct RawInsert(byte* value, int length, ulong flags, long expiry) : IConditionalInsert
    {
        public static int ValueSize => 0;

        public static bool LatchesUpdates => false;

        public static bool LatchesReads => false;

        public static bool RunsUserCode => false;

        public bool IsAwaited => false;

        public long Above => IConditionalInsert.Nothing;

        public ulong Flags => flags;

        public long Expiry => expiry;

        public ReadOnlySpan<byte> Value => new(value, length);

        public void Capture() { }

        public void Complete(Status status, Exception? error) { }
    }
}
