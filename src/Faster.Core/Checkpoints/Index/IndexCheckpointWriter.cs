using System.Runtime.CompilerServices;
using Faster.Caching;
using Faster.Checkpoints.Files;
using Faster.Devices.Folders;
using Faster.Epochs;
using Faster.Index;
using Faster.Invariants;
using Faster.Probes;
using Faster.Threads;

namespace Faster.Checkpoints.Index;

/// <summary>Writes a fuzzy checkpoint of the index while operations change it (paper 004 §5.4).</summary>
/// <remarks>
/// <para>A chain is written as it was at several moments of the walk: an entry that was final throughout is written,
/// with an address that it had. Whatever changes later concerns records at or above Li_s, because the walk begins when
/// every operation that could have taken an address below Li_s has left its epoch. Recovery replays those
/// records.</para>
/// <para>Invariants of what is written:</para>
/// <list type="bullet">
/// <item>No entry is tentative.</item>
/// <item>No two entries of a chain have the same tag. The walk may meet an entry twice that was removed and inserted
/// again; the newer one counts.</item>
/// <item>A chain is written as one of shared tags only together with all entries that its keys may share.</item>
/// <item>Every address is one of the log, below Li_e. An entry that leads to a copy in the read cache is written with
/// the address behind the cached prefix of its chain.</item>
/// </list>
/// <para>The index is not resized meanwhile: the checkpoint and a resize both hold
/// <see cref="HashIndex.Exclusion"/>. Not thread-safe, but any operations may run at the same time.</para>
/// </remarks>
internal sealed class IndexCheckpointWriter
{
    private readonly ChecksummedFileWriter _file;
    private readonly EpochTable _epochs;
    private readonly ReadCache? _cache;
    private readonly CapturePace _pace;
    private readonly unsafe EpochSlot* _slot;
    private readonly IndexSectionPacker _section;
    private ulong[] _words = new ulong[HashBucket.EntryCount]; // of one chain

    private unsafe IndexCheckpointWriter(
        ChecksummedFileWriter file, EpochTable epochs, ReadCache? cache, EpochSlot* slot)
    {
        (_file, _epochs, _cache) = (file, epochs, cache);
        _slot = slot;
        _section = new IndexSectionPacker(file);
        _pace = new CapturePace(epochs);
    }

    /// <summary>Writes a checkpoint. Waits for a resize that is under way, and delays the next one.</summary>
    /// <param name="index">The index.</param>
    /// <param name="epochs">The epochs of the index's users.</param>
    /// <param name="tail">Returns the log's tail address.</param>
    /// <param name="files">The store's files.</param>
    /// <param name="name">The name of the file to write.</param>
    /// <param name="storeIdentity">The store's identity.</param>
    /// <param name="cache">The read cache to whose copies entries may lead, or null.</param>
    /// <param name="onBegin">Called before the checkpoint begins, when no resize is under way.</param>
    /// <param name="isHeld">Whether the caller holds the index's exclusion.</param>
    /// <param name="ct">Cancels the checkpoint before it begins to write.</param>
    /// <returns>The file, whose content is durable but whose name is not, and the number of buckets in it.</returns>
    /// <exception cref="StorageException">The file can't be written or synced.</exception>
    public static async Task<(IndexReference Reference, long BucketCount)> WriteAsync(
        HashIndex index, EpochTable epochs, Func<long> tail, StoreFiles files, string name,
        ulong storeIdentity, ReadCache? cache = null, Action? onBegin = null, bool isHeld = false,
        CancellationToken ct = default)
    {
        if (!isHeld) await index.Exclusion.WaitAsync(ct).Here();
        try
        {
            onBegin?.Invoke();
            long start = tail();
            var safe = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            epochs.Bump(safe.SetResult);
            await safe.Task.Here();
            return await BackgroundTasks.Run(
                () => Write(index, epochs, cache, tail, start, files, name, storeIdentity)).Here();
        }
        finally
        {
            if (!isHeld) index.Exclusion.Release();
        }
    }

    private static unsafe (IndexReference Reference, long BucketCount) Write(
        HashIndex index, EpochTable epochs, ReadCache? cache, Func<long> tail, long start,
        StoreFiles files, string name, ulong storeIdentity)
    {
        using var file = new ChecksummedFileWriter(files, name, ChecksummedFileKind.Index, storeIdentity);
        IndexPhase phase = index.State.Phase;
        Invariant.Check(phase == IndexPhase.Stable, $"the index is not resized while its exclusion is held: {phase}");
        IndexTable table = index.State.Table;
        EpochSlot* slot = epochs.Acquire("the checkpoint of the index");
        try
        {
            new IndexCheckpointWriter(file, epochs, cache, slot).WriteTable(table);
        }
        finally
        {
            epochs.Release(slot);
        }

        long end = tail();
        Invariant.Check(start <= end, $"Li_s ≤ Li_e: {start}, {end}");
        return (new IndexReference(name, file.Identity, file.Complete(), start, end), table.BucketCount);
    }

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private unsafe void WriteTable(IndexTable table)
    {
        long count = table.BucketCount;
        _file.Write(new ReadOnlySpan<byte>(&count, sizeof(long)));
        for (HashBucket* bucket = table.Buckets, end = bucket + count; bucket < end; bucket++)
        {
            WriteChain(bucket);
            if (!_section.IsFull) continue;
            _section.Flush();
            _pace.Rest();
        }

        _section.Flush();
    }

    // A process may write few checkpoints: tiered compilation might never optimize this method.
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private unsafe void WriteChain(HashBucket* first)
    {
        ulong overflow = Volatile.Read(ref first->Overflow); // before the entries: see TryCopyChain
        if ((overflow & HashBucket.SharedTags) != 0 || (overflow & HashBucket.OverflowPointerMask) != 0)
        {
            WriteLongChain(first, (overflow & HashBucket.SharedTags) != 0);
            return;
        }

        Span<ulong> words = _words.AsSpan(0, HashBucket.EntryCount);
        CopyEntries(first, words);
        if (MayHaveTwoOfATag(words)) RemoveOlderOfATag(words);
        _section.Add(words, sharesTags: false);
    }

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private unsafe void WriteLongChain(HashBucket* first, bool sharesTags)
    {
        int count;
        while ((count = TryCopyChain(first, sharesTags)) < 0) SharedTagChain.ClearTentative(first);
        Span<ulong> words = _words.AsSpan(0, count);
        RemoveOlderOfATag(words);
        _section.Add(words, sharesTags);
    }

    // Copies the whole chain, and returns the number of words, or -1 if tags are shared and an entry was tentative.
    // That entry may be final by now, although it was copied before the shared tags were noticed. Without it, its keys
    // would seem to share another entry.
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private unsafe int TryCopyChain(HashBucket* first, bool sharesTags)
    {
        Probe.Point(ProbePoint.IndexScan);
        int count = 0;
        bool tentative = false;
        for (HashBucket* bucket = first; bucket != null; bucket = HashBucket.Next(bucket))
        {
            Probe.Point(ProbePoint.IndexScan);
            if (_words.Length < count + HashBucket.EntryCount)
                Array.Resize(ref _words, 2 * (count + HashBucket.EntryCount));
            tentative |= CopyEntries(bucket, _words.AsSpan(count, HashBucket.EntryCount));
            count += HashBucket.EntryCount;
        }

        return sharesTags && tentative ? -1 : count;
    }

    // Reads each entry once, as one word. A tentative entry is copied as empty, and an entry that leads to the read
    // cache with the address behind the cached copies.
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

    // Reads the entry again, within an epoch that keeps the cached copy in place.
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

    // May return true without need, but never false in error: it compares only the tags' low six bits, as one bit of
    // 64 for each.
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

    // Empty slots are 0 and do not count.
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
}
