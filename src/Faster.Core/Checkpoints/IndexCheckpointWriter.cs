using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Faster.Caching;
using Faster.Contracts;
using Faster.Devices;
using Faster.Epochs;
using Faster.Index;

namespace Faster.Checkpoints;

/// <summary>Writes a fuzzy checkpoint of the index while operations change it (paper 004 §5.4).</summary>
/// <remarks>
/// <para>Each chain is written as it was at some moments of the walk: an entry that was final during the whole of it is
/// written, with an address that it had. What changes later is of records at or above Li_s, because the walk begins
/// when every operation that could have taken an address below Li_s has left its epoch; recovery replays those.</para>
/// <para>Invariants of what is written: no entry is tentative; no two entries of a chain have one tag (an entry that
/// was removed and inserted again may be met twice: the newer one counts); a chain is written as frozen only with all
/// entries that its keys may share; every address is one of the log, below Li_e: where an entry leads to a copy in the
/// read cache, it is written with the address behind the cached prefix.</para>
/// <para>The index is not resized meanwhile: both hold <see cref="HashIndex{TProbe}.Exclusion"/>. Not thread-safe, but
/// any operations may run.</para>
/// </remarks>
/// <typeparam name="TProbe">The probe of a test, or <see cref="NoProbe"/>.</typeparam>
internal sealed class IndexCheckpointWriter<TProbe>
    where TProbe : struct, IProbe
{
    private const int BatchBuckets = 512;
    private const int WordsPerBucket = HashBucket.SizeInBytes / sizeof(ulong);
    private const int OverflowAt = HashBucket.EntryCount;

    private readonly SealedFileWriter _file;
    private readonly EpochTable<TProbe> _epochs;
    private readonly ReadCache<TProbe>? _cache;
    private readonly unsafe EpochSlot* _slot;
    private readonly ulong[] _batch = new ulong[BatchBuckets * WordsPerBucket];
    private int _words;

    private unsafe IndexCheckpointWriter(
        SealedFileWriter file, EpochTable<TProbe> epochs, ReadCache<TProbe>? cache, EpochSlot* slot)
    {
        (_file, _epochs, _cache) = (file, epochs, cache);
        _slot = slot;
    }

    /// <summary>Writes a checkpoint; waits for a resize that is under way, and holds up the next.</summary>
    /// <param name="index">The index.</param>
    /// <param name="epochs">The epochs of its users.</param>
    /// <param name="tail">Gives the log's tail.</param>
    /// <param name="files">The store's files.</param>
    /// <param name="name">The name of the file to write.</param>
    /// <param name="storeIdentity">The store's identity.</param>
    /// <param name="cache">The copies that entries may lead to, or null.</param>
    /// <param name="onBegin">Called before it begins, when the index is not resized any more.</param>
    /// <param name="isHeld">Whether the caller holds the index's exclusion.</param>
    /// <param name="ct">Cancels before the writing begins.</param>
    /// <returns>What was written, durable but for its name, and the number of its buckets.</returns>
    /// <exception cref="StorageException">The file could not be written or synced.</exception>
    public static async Task<(IndexReference Reference, long BucketCount)> WriteAsync(
        HashIndex<TProbe> index, EpochTable<TProbe> epochs, Func<long> tail, StoreFiles files, string name,
        ulong storeIdentity, ReadCache<TProbe>? cache = null, Action? onBegin = null, bool isHeld = false,
        CancellationToken ct = default)
    {
        if (!isHeld) await index.Exclusion.WaitAsync(ct).ConfigureAwait(false);
        try
        {
            onBegin?.Invoke();
            long start = tail();
            var safe = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            epochs.Bump(safe.SetResult);
            await safe.Task.ConfigureAwait(false);
            return await Task
                .Run(() => Write(index, epochs, cache, tail, start, files, name, storeIdentity), CancellationToken.None)
                .ConfigureAwait(false);
        }
        finally
        {
            if (!isHeld) index.Exclusion.Release();
        }
    }

    private static unsafe (IndexReference Reference, long BucketCount) Write(
        HashIndex<TProbe> index, EpochTable<TProbe> epochs, ReadCache<TProbe>? cache, Func<long> tail, long start,
        StoreFiles files, string name, ulong storeIdentity)
    {
        using var file = new SealedFileWriter(files, name, SealedFileKind.Index, storeIdentity);
        Debug.Assert(index.State.Phase == IndexPhase.Stable, "the index is resized without holding its exclusion");
        IndexTable table = index.State.Table;
        EpochSlot* slot = epochs.Acquire("the checkpoint of the index");
        try
        {
            new IndexCheckpointWriter<TProbe>(file, epochs, cache, slot).WriteTable(table);
        }
        finally
        {
            epochs.Release(slot);
        }

        long end = tail();
        return (new IndexReference(name, file.Identity, file.Complete(), start, end), table.BucketCount);
    }

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private unsafe void WriteTable(IndexTable table)
    {
        long count = table.BucketCount;
        _file.Write(new ReadOnlySpan<byte>(&count, sizeof(long)));
        for (HashBucket* bucket = table.Buckets, end = bucket + count; bucket < end; bucket++) WriteChain(bucket);
        Flush();
    }

    // A process may write few checkpoints: there may be no second call for which to optimize this.
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private unsafe void WriteChain(HashBucket* first)
    {
        ulong overflow = Volatile.Read(ref first->Overflow); // before the entries: see TryCopyChain
        if ((overflow & HashBucket.Frozen) != 0 || (overflow & HashBucket.OverflowPointerMask) != 0)
        {
            WriteLongChain(first, overflow);
            return;
        }

        if (_words == _batch.Length) Flush();
        Span<ulong> words = _batch.AsSpan(_words, WordsPerBucket);
        _words += WordsPerBucket;
        CopyEntries(first, words);
        words[OverflowAt] = 0;
        if (MayHaveTwoOfATag(words)) RemoveOlderOfATag(words);
    }

    private unsafe void WriteLongChain(HashBucket* first, ulong overflow)
    {
        Flush();
        ulong[] words = [];
        while (!TryCopyChain(first, (overflow & HashBucket.Frozen) != 0, ref words))
            FrozenChain<TProbe>.ClearTentative(first);
        RemoveOlderOfATag(words);
        ulong following = (ulong)(words.Length / WordsPerBucket) - 1;
        words[OverflowAt] = (overflow & HashBucket.Frozen) | following;
        Write(words);
    }

    // The whole chain. False: a chain that was found frozen holds a tentative entry, which may be final by now, though
    // it was written before the freeze was noticed: without it, its keys would seem to share another one.
    private unsafe bool TryCopyChain(HashBucket* first, bool frozen, ref ulong[] words)
    {
        TProbe.Point(ProbePoint.IndexScan);
        int count = 0;
        for (HashBucket* bucket = first; bucket != null; bucket = HashBucket.Next(bucket)) count++;
        words = new ulong[count * WordsPerBucket];
        HashBucket* from = first;
        bool tentative = false;
        for (int i = 0; i < count; i++, from = HashBucket.Next(from))
        {
            TProbe.Point(ProbePoint.IndexScan);
            tentative |= CopyEntries(from, words.AsSpan(i * WordsPerBucket, WordsPerBucket));
        }

        return !(frozen && tentative);
    }

    // Each entry read once, whole; tentative ones as empty, copies as what they stand before.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private unsafe bool CopyEntries(HashBucket* bucket, Span<ulong> words)
    {
        bool tentative = false;
        for (int i = 0; i < HashBucket.EntryCount; i++)
        {
            ulong word = Volatile.Read(ref bucket->Entries[i]);
            if ((word & (EntryWord.Tentative | EntryWord.ReadCache)) != 0)
            {
                word = WithoutCache(ref bucket->Entries[i]);
                if ((word & EntryWord.Tentative) != 0)
                {
                    tentative = true;
                    word = 0;
                }
            }

            words[i] = word;
        }

        return tentative;
    }

    // Read again, within an epoch that keeps the copy where it is.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private unsafe ulong WithoutCache(ref ulong entry)
    {
        _epochs.Enter(_slot);
        ulong word = Volatile.Read(ref entry);
        if (_cache is not null && (word & EntryWord.ReadCache) != 0)
            word = EntryWord.WithAddress(word, _cache.Behind(EntryWord.AddressOf(word)));
        _epochs.Leave(_slot);
        return word;
    }

    // Says yes too often, never too seldom: the tags' low bits, one of 64 each.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static bool MayHaveTwoOfATag(ReadOnlySpan<ulong> words)
    {
        ulong seen = 0, twice = 0;
        for (int i = 0; i < HashBucket.EntryCount; i++)
        {
            ulong bit = words[i] == 0 ? 0 : 1UL << (int)(words[i] >> EntryWord.TagShift);
            twice |= seen & bit;
            seen |= bit;
        }

        return twice != 0;
    }

    // Empty slots and overflow words, which are not yet filled in, are 0: neither counts.
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private static void RemoveOlderOfATag(Span<ulong> words)
    {
        for (int i = 0; i < words.Length; i++)
        {
            if (words[i] == 0) continue;
            for (int j = i + 1; j < words.Length; j++)
            {
                if (((words[i] ^ words[j]) & EntryWord.TagMask) != 0 || words[j] == 0) continue;
                bool firstIsOlder = EntryWord.AddressOf(words[i]) < EntryWord.AddressOf(words[j]);
                if (firstIsOlder) words[i] = words[j];
                words[j] = 0;
            }
        }
    }

    private void Flush()
    {
        Write(_batch.AsSpan(0, _words));
        _words = 0;
    }

    private void Write(ReadOnlySpan<ulong> words) => _file.Write(MemoryMarshal.AsBytes(words));
}
