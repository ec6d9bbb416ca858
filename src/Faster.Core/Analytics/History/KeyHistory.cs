using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using Faster.Analytics.Scans;
using Faster.Chains;
using Faster.Contracts;
using Faster.Epochs;
using Faster.Log;
using Faster.Log.Records;
using Faster.LogSessions.Pending;
using Faster.Operations;

namespace Faster.Analytics.History;

/// <summary>
/// Returns the records of one key in one log from its newest to its oldest, along its hash chain in memory and on disk
/// (paper 000, App. F).
/// </summary>
/// <remarks>
/// <para>A record that may still be updated is copied under its latch, or word by word if it has a whole value of one
/// word, which needs no latch; so each copy is a value that the key had at some moment. (A delta needs the latch,
/// because it might be deleted and revived as a whole value between the reads of header and value.)</para>
/// <para>Records that are added meanwhile are newer and not returned. Of a chain that is not pinned nothing is held
/// between two records, and it ends where the log has been truncated. Not thread-safe.</para>
/// </remarks>
/// <param name="source">The log.</param>
/// <param name="key">The key.</param>
/// <param name="hash">The key's hash.</param>
/// <param name="pinned">The part of the chain to return; null for the chain as the index has it.</param>
internal sealed class KeyHistory(LogSource source, CapturedKey key, ulong hash, PinnedChain? pinned = null)
{
    private readonly RecordBuffer _copy = new(source, pinned?.Pin, pinned?.Now);
    private readonly PagedLog _log = source.Log;
    private long? _next = pinned?.Newest; // null: the chain's first record has not been looked for
    private long _version = -1;

    private enum Step
    {
        Found,
        OnDisk,
        Busy,
        End,
    }

    /// <summary>The copied record.</summary>
    public RecordBuffer Current => _copy;

    /// <summary>Enumerates the records. Ends where the log has been truncated.</summary>
    public async IAsyncEnumerable<RecordVersion<T>> RunAsync<T>(
        RecordDecoder<T> decode, [EnumeratorCancellation] CancellationToken ct)
    {
        while (await MoveNextAsync(ct).ConfigureAwait(false))
        {
            if (!TryDecode(decode, out T? record)) yield break;
            yield return Of(record);
        }
    }

    /// <summary>Copies the key's next record.</summary>
    /// <returns>False: there is none.</returns>
    /// <exception cref="DamagedDataException">A block on the device is damaged.</exception>
    /// <exception cref="StorageException">The device cannot be read.</exception>
    /// <exception cref="ObjectDisposedException">The store is closed.</exception>
    public async ValueTask<bool> MoveNextAsync(CancellationToken ct)
    {
        ct.ThrowIfCancellationRequested();
        (bool found, _next) = await FindAsync().ConfigureAwait(false);
        if (!found) return false;
        if (_version < 0) _version = source.Core.Commits.Current.OperationVersion;
        _version = VersionOf(_copy.Header, _version);
        _next = _copy.Next(hash);
        return true;
    }

    /// <summary>The version that a decoded record belongs to.</summary>
    public RecordVersion<T> Of<T>(T record) => new(record, _copy.Address, _version);

    /// <summary>Returns the newest version, up to a bound, that has the version code of a header.</summary>
    internal static long VersionOf(ulong header, long most)
    {
        int apart = RecordHeader.CodeOf(most) - RecordHeader.VersionCode(header);
        return most - (apart >= 0 ? apart : apart + 255);
    }

    private long Begin => pinned?.Pin.Address ?? _log.BeginAddress;

    // If found, the copy holds the key's next record.
    private async ValueTask<(bool Found, long Next)> FindAsync()
    {
        source.Guard.Enter();
        try
        {
            if (_next is { } next) return await WalkAsync(next).ConfigureAwait(false);
            for (;;)
            {
                // A record that was truncated during the walk to the newest record may live on in a copy, which is
                // newer.
                long begin = _log.BeginAddress;
                (bool Found, long Next) newest = await WalkAsync(FindChain()).ConfigureAwait(false);
                if (newest.Found || _log.BeginAddress == begin) return newest;
            }
        }
        finally
        {
            source.Guard.Leave();
        }
    }

    private async ValueTask<(bool Found, long Next)> WalkAsync(long next)
    {
        for (;;)
        {
            switch (InMemory(ref next))
            {
                case Step.Found: return (true, next);
                case Step.End: return (false, 0);
                case Step.Busy: await Task.Yield(); break;
                default:
                    if (!await TryFetchAsync(next).ConfigureAwait(false)) return (false, 0);
                    if (_copy.IsOf(key)) return (true, next);
                    next = _copy.Next(hash);
                    break;
            }
        }
    }

    // Returns false if the fragments of the value were truncated: the history ends.
    private bool TryDecode<T>(RecordDecoder<T> decode, [MaybeNullWhen(false)] out T record)
    {
        bool isThere = _copy.TryView(out RecordView view);
        record = isThere ? decode(view) : default;
        return isThere;
    }

    // Returns false if the record was truncated: the history ends.
    private async ValueTask<bool> TryFetchAsync(long address)
    {
        try
        {
            await new RecordFetch(source.Tier.Reader!, _copy).RunAsync(address).ConfigureAwait(false);
            return true;
        }
        catch (FasterException) when (Begin > address)
        {
            return false;
        }
    }

    private unsafe long FindChain()
    {
        EpochTable epochs = source.Core.Epochs;
        EpochSlot* slot = epochs.Acquire("a key's history");
        try
        {
            return ChainStart.Of(source.Tier, slot, hash);
        }
        finally
        {
            epochs.Release(slot);
        }
    }

    private unsafe Step InMemory(ref long address)
    {
        EpochTable epochs = source.Core.Epochs;
        EpochSlot* slot = epochs.Acquire("a key's history");
        epochs.Enter(slot);
        try
        {
            for (long downTo = Math.Max(_log.HeadAddress, Begin); address >= downTo;)
            {
                byte* record = _log.Pointer(address);
                ulong header = RecordHeader.Read(record);
                if (RecordViews.HasKey(header) && key.Matches(record + RecordHeader.Size)
                    && !source.Storage.IsDiscarded(address, header))
                    return TryTake(record, header, address) ? Step.Found : Step.Busy;
                address = ChainJoinRecord.Next(record, header, hash);
            }

            return address < Begin ? Step.End : Step.OnDisk;
        }
        finally
        {
            epochs.Leave(slot);
            epochs.Release(slot);
        }
    }

    private unsafe bool TryTake(byte* record, ulong header, long address)
    {
        bool isShort = _log.Layout.ValueSize is > 0 and <= sizeof(ulong)
            && (header & (RecordHeader.Delta | RecordHeader.Expiring)) == 0;
        bool latches = address >= _log.SafeReadOnlyAddress && !isShort;
        if (latches && !RecordLatch.TryTakeSlowly(record, out header)) return false;
        _copy.Take(record, header, address);
        if (latches) RecordLatch.Release(record, header);
        return true;
    }
}
