using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Faster.Checkpoints.Files;
using Faster.Index;

namespace Faster.Checkpoints.Index;

/// <summary>
/// Loads the content of an index checkpoint of format version 1, which has empty slots, too
/// (docs/formats/index-checkpoint.md).
/// </summary>
/// <remarks>
/// <para>Invariants, whatever the file holds:</para>
/// <list type="bullet">
/// <item>Nothing is written outside the table and its overflow buckets, of which there are no more than the file
/// holds.</item>
/// <item>An entry that could make a reader of the index fail is refused.</item>
/// </list>
/// <para>Not thread-safe; no other thread uses the table.</para>
/// </remarks>
internal sealed unsafe class PlainIndexLoader
{
    private const int BatchBuckets = 1024;
    private const ulong Unknown = EntryWord.Tentative | EntryWord.ReadCache;

    private readonly ChecksummedFileReader _file;
    private readonly IndexTable _table;
    private readonly ulong _mostAddress;
    private readonly HashBucket[] _batch = new HashBucket[BatchBuckets];
    private long _linked;

    /// <summary>Prepares the loading.</summary>
    /// <param name="file">The file, read up to the number of buckets.</param>
    /// <param name="table">An empty table with that number of buckets.</param>
    /// <param name="limit">Every address must be below this one.</param>
    public PlainIndexLoader(ChecksummedFileReader file, IndexTable table, long limit)
    {
        (_file, _table, _mostAddress) = (file, table, (ulong)limit - 1);
    }

    /// <summary>Loads the chains of all buckets.</summary>
    /// <param name="onProgress">Called from time to time with the number of bytes read.</param>
    public void Load(Action<long>? onProgress)
    {
        HashBucket* end = _table.Buckets + _table.BucketCount;
        for (HashBucket* next = _table.Buckets; next < end;)
        {
            // The file has at least this many left: each chain has a first bucket.
            int count = (int)Math.Min(BatchBuckets, end - next);
            Span<HashBucket> batch = _batch.AsSpan(0, count);
            long position = _file.Position;
            _file.Read(MemoryMarshal.AsBytes(batch));
            int used = 0;
            while (used < count) LoadChain(next++, batch, ref used, position);
            onProgress?.Invoke(_file.Position);
        }

        _table.CountLinked(_linked);
    }

    // Loads the chain whose first bucket is next in the batch, including buckets behind the batch. Recovery runs once:
    // tiered compilation would optimize this method too late.
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private void LoadChain(HashBucket* bucket, Span<HashBucket> batch, ref int used, long position)
    {
        *bucket = batch[used++];
        ulong overflow = bucket->Overflow;
        bucket->Overflow = overflow & HashBucket.SharedTags;
        if (!HasSoundEntries(bucket) || (overflow & (HashBucket.OverflowLatchMask | HashBucket.Closed)) != 0)
            throw Unsound(position + ((used - 1L) * HashBucket.SizeInBytes));
        if (overflow == 0) return;
        if (bucket->Overflow != 0) _table.CountSharedTags();
        for (ulong following = overflow & HashBucket.OverflowPointerMask; following > 0; following--)
        {
            bool inBatch = used < batch.Length;
            long at = inBatch ? position + ((long)used * HashBucket.SizeInBytes) : _file.Position;
            HashBucket next = inBatch ? batch[used++] : _file.Read<HashBucket>();
            if (next.Overflow != 0 || !HasSoundEntries(&next)) throw Unsound(at);
            HashBucket* fresh = _table.Pool.Take();
            *fresh = next;
            bucket->Overflow |= (ulong)fresh;
            bucket = fresh;
            _linked++;
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool HasSoundEntries(HashBucket* bucket)
    {
        bool sound = true;
        for (int i = 0; i < HashBucket.EntryCount; i++)
        {
            ulong word = bucket->Entries[i];
            bool valid = (word & Unknown) == 0 && (word & EntryWord.AddressMask) - 1 < _mostAddress;
            sound &= valid || word == 0;
        }

        return sound;
    }

    private DamagedDataException Unsound(long position) =>
        _file.DamagedAt(position, "a bucket holds what no index of its commit holds");
}
