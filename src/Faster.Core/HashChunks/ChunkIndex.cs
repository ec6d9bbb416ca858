using Faster.Contracts;
using Faster.Devices;
using Faster.Devices.Blocks;
using Faster.Epochs;
using Faster.Index.Entries;
using Faster.Log.Reads;
using Faster.Log.Records;
using Faster.Probes;

namespace Faster.HashChunks;

/// <summary>
/// The two-level index of cold records (paper 003 §6): entries lie in hash chunks, which are records of a log of their
/// own; memory holds the address of each chunk's newest record.
/// </summary>
/// <remarks>
/// <para>A chunk in the mutable region is changed in place, one entry at a time by compare-and-swap. An older one is
/// copied to the tail with the change; a chunk on disk is read first (<see cref="ReadEntry"/>).</para>
/// <para>Invariants, besides those of <see cref="HashChunk"/>:</para>
/// <list type="bullet">
/// <item>The record that the directory leads to has all changes of its chunk.</item>
/// <item>Only a chunk that no thread can change in place any more is copied: below SafeReadOnly, or from disk. A thread
/// that has seen a chunk above ReadOnly changes it within an epoch that began before the marker moved, and SafeReadOnly
/// waits for that.</item>
/// <item>A copy is linked only in place of the record that it was made from; so of two copies one is linked, and what
/// was read from disk never replaces anything newer.</item>
/// <item>An entry that leads below the begin of the cold log counts as none. A copy of its chunk drops it, and a chunk
/// that has no other is not copied: it is unlinked.</item>
/// </list>
/// <para>Thread-safe, latch-free. No call waits.</para>
/// </remarks>
internal sealed unsafe class ChunkIndex : ITierIndex, IDisposable
{
    private const int FillScale = 1 << 16, FillWeight = 64;

    private readonly ChunkStage _stage;
    private readonly ChunkReads _reads;
    private readonly Func<long> _coldBegin;
    private readonly int _capacity;
    private long _fill; // as Fill, of FillScale

    /// <summary>Creates an empty index, whose I/O thread does not run yet.</summary>
    /// <param name="epochs">The store's epochs.</param>
    /// <param name="plan">The division of its memory.</param>
    /// <param name="device">The device of the chunk log, which the caller owns.</param>
    /// <param name="identity">
    /// The store's identity, and a first incarnation that no earlier process has used for the device.
    /// </param>
    /// <param name="coldBegin">Returns the begin address of the log that the entries lead to.</param>
    /// <param name="onFault">Called with errors that have no other recipient.</param>
    public ChunkIndex(
        EpochTable epochs, ChunkIndexPlan plan, Device device, BlockIdentity identity, Func<long> coldBegin,
        Action<Exception> onFault)
    {
        (Epochs, Plan, _coldBegin, _capacity) = (epochs, plan, coldBegin, plan.Capacity);
        Directory = new ChunkDirectory(plan.ChunkCount);
        Log = new ChunkLog(epochs, plan, device, identity, onFault);
        _stage = new ChunkStage(plan.ChunkCount, plan.StageBytes, _capacity, plan.StagesAll);
        _reads = new ChunkReads(Log, Directory, _stage);
        if (plan.StagesAll) Log.Leaving = Stage;
    }

    /// <summary>The store's epochs.</summary>
    public EpochTable Epochs { get; }

    /// <summary>The division of the index's memory.</summary>
    public ChunkIndexPlan Plan { get; }

    /// <summary>The first level.</summary>
    public ChunkDirectory Directory { get; }

    /// <summary>The second level.</summary>
    public ChunkLog Log { get; }

    /// <summary>The begin address of the log that the entries lead to.</summary>
    public long ColdBegin => _coldBegin();

    /// <summary>The number of chunks that were read from disk.</summary>
    public long Reads => _reads.Count;

    /// <summary>
    /// The part of the slots that were in use in the chunks that were copied last, a moving average; 0: none was.
    /// </summary>
    public double Fill => (double)Volatile.Read(ref _fill) / FillScale;

    /// <summary>The chunk of a hash.</summary>
    public long ChunkOf(ulong hash) => HashBits.BucketOf(hash, Directory.ChunkCount);

    /// <inheritdoc cref="IEntryAccess{TSelf}.Locate"/>
    public EntryRef Locate(ulong hash) =>
        new() { Home = Directory.PlaceOf(ChunkOf(hash)), Tag = HashBits.TagOf(hash) };

    /// <inheritdoc cref="IEntryAccess{TSelf}.Find"/>
    public Outcome Find(ref EntryRef entry)
    {
        Probe.Point(ProbePoint.IndexScan);
        entry.Slot = null;
        entry.Word = 0;
        long at = Volatile.Read(ref *(long*)entry.Home);
        if (at == 0) return Outcome.NotFound;
        ulong word;
        if (at >= Log.Pages.HeadAddress)
        {
            _ = HashChunk.Search(Log.WordsAt(at), _capacity, entry.Tag, out word);
        }
        else
        {
            ulong* copy = stackalloc ulong[_capacity];
            if (CopyStaged(ChunkOf(entry), at, copy) is var copied and not Outcome.Ok) return copied;
            _ = HashChunk.Search(copy, _capacity, entry.Tag, out word);
        }

        entry.Word = HashChunk.Live(word, ColdBegin);
        if (entry.Word == 0) return Outcome.NotFound;
        entry.Slot = (ulong*)entry.Home; // not its place, which may move; only says that there is an entry
        return Outcome.Ok;
    }

    /// <summary>Inserts, replaces or (address 0) removes an entry, if it still is as it was found.</summary>
    public Outcome Change(in EntryRef entry, long address)
    {
        Probe.Point(ProbePoint.IndexReplace);
        var place = (long*)entry.Home;
        long at = Volatile.Read(ref *place);
        if (at == 0 || at < Log.Pages.HeadAddress)
        {
            ulong* copy = stackalloc ulong[_capacity];
            if (at == 0) new Span<ulong>(copy, _capacity).Clear();
            else if (CopyStaged(ChunkOf(entry), at, copy) is var copied and not Outcome.Ok) return copied;
            return Copy(entry, at, copy, address);
        }

        ulong* words = Log.WordsAt(at);
        if (at < Log.Pages.ReadOnlyAddress)
        {
            return at < Log.Pages.SafeReadOnlyAddress || (Probe.On && Probe.Has(SeededBug.ChunkCopiedInFuzzyRegion))
                ? Copy(entry, at, words, address)
                : Outcome.Fuzzy;
        }

        int slot = HashChunk.Search(words, _capacity, entry.Tag, out ulong word);
        if (HashChunk.Live(word, ColdBegin) != entry.Word) return Outcome.Retry;
        Probe.Point(ProbePoint.RecordUpdate);
        return Interlocked.CompareExchange(ref words[slot], WordOf(entry, word, address), word) == word
            ? Outcome.Ok
            : Outcome.Retry;
    }

    /// <summary>
    /// Copies a chunk to the tail if its record lies below an address, without what leads to no record any more. Under
    /// the caller's epoch; everything below the address is immutable.
    /// </summary>
    /// <returns>
    /// <see cref="Outcome.Ok"/>: it does not lie there any more. <see cref="Outcome.EntryOnDisk"/>: it must be read, or
    /// there is no space.
    /// </returns>
    public Outcome MoveUnderEpoch(long chunk, long until)
    {
        long at = Directory.AddressOf(chunk);
        if (at == 0 || at >= until) return Outcome.Ok;
        ulong* words = stackalloc ulong[_capacity];
        Outcome found = CopyFound(chunk, at, words);
        return found == Outcome.Ok ? CopyUnchanged(chunk, at, words) : found;
    }

    /// <summary>Whether an entry of a chunk leads to a record. Under the caller's epoch.</summary>
    /// <returns>
    /// <see cref="Outcome.Ok"/> or <see cref="Outcome.NotFound"/>; <see cref="Outcome.EntryOnDisk"/>: the chunk must be
    /// read.
    /// </returns>
    public Outcome FindLiveUnderEpoch(long chunk)
    {
        long at = Directory.AddressOf(chunk);
        if (at == 0) return Outcome.NotFound;
        ulong* words = stackalloc ulong[_capacity];
        Outcome found = CopyFound(chunk, at, words);
        if (found != Outcome.Ok) return found;
        return HashChunk.CountLive(words, _capacity, ColdBegin) != 0 ? Outcome.Ok : Outcome.NotFound;
    }

    /// <summary>
    /// Copies a chunk that was read from disk to the tail, where it is changed in place, if it still lies where it was
    /// read. Under the caller's epoch.
    /// </summary>
    /// <param name="at">The address of the record.</param>
    /// <param name="record">What was read there, its blocks verified.</param>
    /// <returns>False: there is no space.</returns>
    public bool TryBring(long at, byte* record)
    {
        long chunk = ChunkLog.ChunkOf(record);
        if ((ulong)chunk >= (ulong)Directory.ChunkCount || Directory.AddressOf(chunk) != at) return true;
        return CopyUnchanged(chunk, at, ChunkLog.WordsOf(record)) != Outcome.EntryOnDisk;
    }

    /// <inheritdoc/>
    public Outcome FindChain(ulong hash, out long address)
    {
        EntryRef entry = Locate(hash);
        Outcome found = Find(ref entry);
        address = found == Outcome.Ok ? entry.Address : 0;
        return found;
    }

    /// <inheritdoc/>
    public void Unpin(int pin)
    {
    }

    /// <inheritdoc/>
    /// <remarks>This index is never resized.</remarks>
    public bool HelpResize(EpochSlot* slot, out bool lacksSpace) => lacksSpace = false;

    /// <summary>
    /// Reads the chunk of a hash if it is on disk; otherwise waits until a record can be appended to the chunk log,
    /// which the attempt has lacked.
    /// </summary>
    /// <inheritdoc/>
    public void ReadEntry(ulong hash, Action<Exception?> onRead, ReadQueue? own = null) =>
        ReadChunk(ChunkOf(hash), onRead, own);

    /// <inheritdoc cref="ReadEntry"/>
    /// <param name="chunk">The chunk.</param>
    /// <param name="onRead">As for <see cref="ReadEntry"/>.</param>
    /// <param name="own">As for <see cref="ReadEntry"/>.</param>
    public void ReadChunk(long chunk, Action<Exception?> onRead, ReadQueue? own = null)
    {
        long at = Directory.AddressOf(chunk);
        if (at != 0 && at < Log.Pages.HeadAddress && !_stage.Has(chunk, at)) _reads.Start(chunk, at, onRead, own);
        else Park(onRead);
    }

    /// <summary>
    /// Whether a chunk whose newest record lies at an address can be changed without a read of the disk.
    /// </summary>
    public bool IsStaged(long chunk, long at) => at < Log.Pages.HeadAddress && _stage.Has(chunk, at);

    /// <summary>Begins changes of the entries of many hashes.</summary>
    public IEntrySweep BeginSweep() => new ChunkSweep(this);

    /// <summary>Starts the I/O thread.</summary>
    public void Start() => Log.Start();

    /// <summary>
    /// Stops the I/O thread and frees the memory; no session may use the index any more. The device is its owner's.
    /// </summary>
    public void Dispose()
    {
        Log.Dispose();
        _stage.Dispose();
        Directory.Dispose();
    }

    // Apart from ReadChunk, which would otherwise allocate the closure for every read.
    private void Park(Action<Exception?> onRead) => Log.Pages.Park(() => onRead(FailureOfLog()));

    // Called with each record that leaves memory next; the copies of those before are as good.
    private void Stage(long at, nint record)
    {
        long chunk = ChunkLog.ChunkOf((byte*)record);
        if ((ulong)chunk >= (ulong)Directory.ChunkCount || Directory.AddressOf(chunk) != at) return;
        _stage.Add(chunk, at, ChunkLog.WordsOf((byte*)record));
    }

    private Outcome CopyFound(long chunk, long at, ulong* to)
    {
        if (at < Log.Pages.HeadAddress) return CopyStaged(chunk, at, to);
        new ReadOnlySpan<ulong>(Log.WordsAt(at), _capacity).CopyTo(new Span<ulong>(to, _capacity));
        return Outcome.Ok;
    }

    // A copy that could not be taken, since one beside it is being written, need not be read.
    private Outcome CopyStaged(long chunk, long at, ulong* to) => _stage.TryCopy(chunk, at, to) ? Outcome.Ok
        : _stage.Has(chunk, at) ? Outcome.Retry
        : Outcome.EntryOnDisk;

    private long ChunkOf(in EntryRef entry) => Directory.ChunkOf((long*)entry.Home);

    // A chunk without a live entry needs no record.
    private Outcome CopyUnchanged(long chunk, long at, ulong* words)
    {
        if (HashChunk.CountLive(words, _capacity, ColdBegin) == 0)
            return Directory.TryReplace(Directory.PlaceOf(chunk), at, 0) ? Outcome.Ok : Outcome.Retry;
        if (!Log.TryAppend(chunk, at, out long fresh)) return Outcome.EntryOnDisk;
        CopyLive(words, Log.WordsAt(fresh));
        return Link(Directory.PlaceOf(chunk), at, fresh) ? Outcome.Ok : Outcome.Retry;
    }

    // Within an epoch: until it ends, the new record can't become immutable.
    private Outcome Copy(in EntryRef entry, long at, ulong* words, long address)
    {
        _ = HashChunk.Search(words, _capacity, entry.Tag, out ulong word);
        if (HashChunk.Live(word, ColdBegin) != entry.Word) return Outcome.Retry;
        var place = (long*)entry.Home;
        if (!Log.TryAppend(ChunkOf(entry), at, out long fresh)) return Outcome.EntryOnDisk;
        ulong* copy = Log.WordsAt(fresh);
        CopyLive(words, copy);
        int slot = HashChunk.Search(copy, _capacity, entry.Tag, out word);
        copy[slot] = WordOf(entry, word, address);
        return Link(place, at, fresh) ? Outcome.Ok : Outcome.Retry;
    }

    private void CopyLive(ulong* from, ulong* to)
    {
        long sample = (long)HashChunk.CopyLive(from, to, _capacity, ColdBegin) * FillScale / _capacity;
        long fill = Volatile.Read(ref _fill);
        Volatile.Write(ref _fill, fill == 0 ? sample : fill + ((sample - fill) / FillWeight)); // may miss another's
    }

    private bool Link(long* place, long at, long fresh)
    {
        if (Directory.TryReplace(place, at, fresh)) return true;
        Log.Pages.Free(null, fresh, Log.RecordBytes, everLinked: false);
        return false;
    }

    private static ulong WordOf(in EntryRef entry, ulong word, long address) =>
        HashChunk.WordOf(word == 0 ? entry.Tag : HashChunk.TagOf(word), address);

    private StorageException? FailureOfLog()
    {
        try
        {
            Log.Flusher.ThrowIfFailed();
            return null;
        }
        catch (StorageException e)
        {
            return e;
        }
    }
}
