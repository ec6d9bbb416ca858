using System.Buffers;
using Faster.Commits;
using Faster.Contracts;
using Faster.Log;

namespace Faster;

/// <summary>
/// An operation that waits for the disk: walks the part of its key's chain that is on disk, record by record, and then
/// runs its protocol again with what it has found.
/// </summary>
/// <remarks>
/// One owner at a time: the device while a read is under way, then who polls it, then the session that continues it.
/// <para>A walk ends at the log's begin as it was inside the epoch in which the walk was found necessary. If the begin
/// rises past where the walk stands, its end tells nothing, for what counts may have been copied to the tail meanwhile:
/// then nothing is noted, and the protocol begins again (docs/COMPACTION.md).</para>
/// </remarks>
internal abstract class PendingOperation<TProbe> : RecordRead
    where TProbe : struct, IProbe
{
    private long _chainStart;
    private long _floor;
    private bool _isSettled;
    private bool _isAdmitted;   // awaited only
    private long _counted;      // in the bytes of all operations under way
    private int _length;        // of the read that waits for its share
    private LargeHead? _head;   // of the value to be gathered when there is a share; null: a record is to be read
    private Patience<TProbe> _patience; // with what it tries again for, and does not wait for apart

    /// <summary>The operation's serial number.</summary>
    public long Serial { get; private set; }

    /// <summary>The version in which the operation was accepted; under strict order it belongs to that one.</summary>
    public long Version { get; private set; }

    /// <summary>How long what the operation writes lives: as its session said when it was issued.</summary>
    public Lifetime Life { get; private set; }

    /// <summary>The session that issued the operation.</summary>
    public FasterSession<TProbe> Session { get; protected set; } = null!;

    /// <summary>The key.</summary>
    protected CapturedKey Key { get; set; }

    /// <summary>The key's hash.</summary>
    protected ulong Hash { get; set; }

    /// <summary>What has been found on disk.</summary>
    public DiskRecord Disk { get; } = new();

    /// <summary>Why reading failed, if it did.</summary>
    protected Exception? Failure { get; set; }

    /// <summary>The new value that is written in chunks, if there is one.</summary>
    protected LargeWrite<TProbe>? Prepared { get; set; }

    /// <summary>Where a read wants a value that lies in chunks, piece by piece; null for one piece.</summary>
    protected abstract IBufferWriter<byte>? Destination { get; }

    /// <summary>Whether somebody awaits the operation, so that the pump continues it.</summary>
    public abstract bool IsAwaited { get; }

    /// <summary>Its share of the memory for what waits for the disk, and the share that it asks for.</summary>
    public (long Held, long Asked) Share { get; set; }

    /// <summary>
    /// The operation waits from now on. Called inside the epoch of its session, which has counted it for its version.
    /// </summary>
    public void Accept(long serial, long version)
    {
        Serial = serial;
        Version = version;
        Life = Session.Attempt.Clock.Own;
        _isSettled = false;
        _patience = new Patience<TProbe>(Session.Store);
        Session.Pending.OnBegun(this);
        if (!IsAwaited) Count();
    }

    /// <summary>The operation's turn among those of its session that somebody awaits has come.</summary>
    public void OnAdmitted()
    {
        Admit();
        OnShared();
    }

    /// <summary>The share that the operation has waited for is its own.</summary>
    public void OnShared()
    {
        try
        {
            if (_head is { } head) Gather(head, aside: true);
            else Read(Session.Store.Reader.Shared, Address, _length);
        }
        catch (Exception e)
        {
            Failure = e;
            BecomeReady();
        }
    }

    /// <summary>
    /// The operation is carried out, or has failed: no commit waits for it any more. Called inside the epoch in which
    /// it was carried out.
    /// </summary>
    /// <param name="version">The version that its effect belongs to.</param>
    public void Settle(long version)
    {
        if (_isSettled) return;
        _isSettled = true;
        CommitState<TProbe> commits = Session.Store.Commits;
        if (commits.Order == PendingOrder.Strict) commits.RemovePending(Hash, Version);
        else if (Session.Pending.LeftOut.Settle(Serial, version)) Session.Store.Sessions.NoteWork(version);
    }

    /// <summary>Begins to wait for what an attempt has missed.</summary>
    /// <param name="outcome">How the attempt ended.</param>
    /// <param name="attempt">What it has left of what it wants.</param>
    /// <param name="aside">Whether long work is not for this thread, which may be the store's for I/O.</param>
    public void Wait(Outcome outcome, Attempt<TProbe> attempt, bool aside)
    {
        _patience = new Patience<TProbe>(Session.Store);
        if (attempt.Large.Prepared is { } prepared) Prepared = prepared;
        attempt.Large.Prepared = null;
        switch (outcome)
        {
            case Outcome.OnDisk: BeginWalk(attempt); break;
            case Outcome.Large: BeginGather(attempt.Wanted, attempt.Large.Wanted, aside); break;
            case Outcome.Oversized: Write(Prepared!, aside); break;
            case Outcome.NoRoom: Session.Store.Chunked().Park(BecomeReady); break;
            default: WaitForBucket(); break;
        }
    }

    /// <summary>
    /// Tells the operation's outcome, on its session's own thread, when another one has carried it out.
    /// </summary>
    public abstract void Deliver();

    /// <summary>Forgets what was read, and gives its memory back. Idempotent.</summary>
    protected void LetGo()
    {
        Disk.Clear();
        Session.Store.PendingMemory.Return(this);
    }

    /// <summary>The operation has ended, and may be another one soon: what is counted of it is so no more.</summary>
    /// <returns>Whether it was among those of its session that are admitted.</returns>
    protected bool CountNoMore()
    {
        bool wasAdmitted = _isAdmitted;
        if (_counted != 0) Session.Store.PendingMemory.Count(-_counted);
        _counted = 0;
        _isAdmitted = false;
        Key = Key.Spare;
        Blocks = null;
        return wasAdmitted;
    }

    private void Admit()
    {
        if (_isAdmitted) return;
        _isAdmitted = true;
        Count();
    }

    private void Count()
    {
        _counted = PendingMemory<TProbe>.OperationBytes + Key.SlotSize + Session.Store.Reader.Guess;
        Session.Store.PendingMemory.Count(_counted);
    }

    /// <summary>Walks the chain on disk from where an attempt wants it, down to its floor.</summary>
    private void BeginWalk(Attempt<TProbe> attempt)
    {
        long address = attempt.Wanted;
        (_chainStart, _floor, Failure) = (address, attempt.WantedFloor, null);
        LetGo();
        Disk.Floor = _floor;
        Disk.Newer.Add(attempt.Partials);
        // The I/O thread, which continues what is awaited, does not look into a session's own row. Nor does its owner,
        // when it waits and another thread has continued the operation: the row was idle.
        bool isOwners = !IsAwaited && attempt == Session.Attempt;
        ReadQueue? own = isOwners ? Session.Pending.OwnReads : null;
        LogReader reader = Session.Store.Reader;
        (Address, _length, _head) = (address, reader.Guess, null);
        if (IsAwaited && !_isAdmitted && !Session.Pending.TryAdmit(this)) return;
        if (IsAwaited) Admit();
        Read(own ?? reader.Shared, address, _length);
        // A commit's phase may have come since the epoch was left: then the pump has looked into this row already.
        if (own is null || TProbe.Has(SeededBug.ReadWakesNobody)) return;
        if (Session.Store.Commits.CollectsPending) Session.Store.Pump.Wake();
    }

    // What is not small is read when there is a share for it. A walk that goes on has none of what it has passed.
    private void Read(ReadQueue reads, long address, int length)
    {
        int buffer = Session.Store.Reader.BufferFor(address, length);
        if (buffer > Share.Held)
        {
            (Address, _length, _head) = (address, length, null);
            PendingMemory<TProbe> memory = Session.Store.PendingMemory;
            memory.Return(this);
            if (!memory.TryTake(this, buffer)) return;
        }

        reads.Read(this, address, length);
    }

    /// <inheritdoc/>
    public sealed override unsafe void OnRead(byte* record, Exception? error)
    {
        try
        {
            Failure = error;
            if (error is null && Walk(record)) return;
            if (!Disk.IsHeavy) Session.Store.PendingMemory.Return(this);
        }
        catch (Exception e)
        {
            Failure = e;
        }

        // What was given up meanwhile may not be there any more: the operation begins again from the index.
        if (Failure is not null && IsGivenUp(Address)) Failure = null;
        BecomeReady();
    }

    /// <summary>Runs the protocol again on a session, and ends the operation if that succeeds.</summary>
    /// <returns>Whether anything came of it.</returns>
    public abstract bool ResumeOn(FasterSession<TProbe> session);

    /// <summary>Fails when the operation has tried again and again for too long.</summary>
    /// <exception cref="FasterException">It has; the message says why.</exception>
    protected void CheckPatience(Outcome outcome) => _patience.Check(outcome);

    /// <summary>Hands the operation to whoever continues it.</summary>
    protected void BecomeReady()
    {
        // Once handed on the operation may end, and be another one.
        FasterStore<TProbe> store = Session.Store;
        if (IsAwaited || store.Commits.CollectsPending)
        {
            store.Pump.Resume(this);
            return;
        }

        Session.Pending.AddReady(this);
        // The phase may have come between: then the pump looks through all sessions.
        if (store.Commits.CollectsPending) store.Pump.Wake();
    }

    // Apart from Wait, which would make the closure for every read.
    private void WaitForBucket()
    {
        // Whoever holds the bucket may wait for a share: so this one holds none.
        if (Share.Held != 0) LetGo();
        CommitState<TProbe> commits = Session.Store.Commits;
        commits.Gate.ParkUntil(() => !commits.IsHeldUp(Hash, Version), BecomeReady);
    }

    /// <summary>Looks at the record that was read.</summary>
    /// <param name="record">The record.</param>
    /// <returns>True when another read is under way, false when the walk is over.</returns>
    private unsafe bool Walk(byte* record)
    {
        LogReader reader = Session.Store.Reader;
        long size = Examine(reader, record);
        if (size > Available) return ReadMore(size);
        reader.Learn(size);

        ulong header = RecordHeader.Read(record);
        if (LargeChunk.Is(header)) throw reader.Storage.NoRecord(Address, header);
        bool isOfKey = !MergeRecord.Is(header) && Key.Matches(record + RecordHeader.Size);
        if (isOfKey && !reader.Storage.IsAbandoned(Address, header))
        {
            bool isPartial = (header & RecordHeader.Delta) != 0;
            if ((header & RecordHeader.Tombstone) != 0) Disk.SetDeleted(_chainStart, Address);
            else if (isPartial) AddPartial(reader.Layout.Value(record));
            else SetFound(reader.Layout.Value(record), header, reader.Layout.Expiry(record));
            if (!isPartial) return false;
        }

        long previous = MergeRecord.Next(record, header, Hash);
        if (previous >= Address) throw reader.Storage.NoRecord(Address, header);
        if (previous < _floor)
        {
            Disk.SetAbsent(_chainStart);
            return false;
        }

        // Given up since the walk began, while the key may have been copied to the tail: nothing has been found out.
        if (IsGivenUp(previous)) return false;
        Read(Reads, previous, reader.Guess);
        return true;
    }

    // A value that is not small stays in the buffer that it was read into.
    private void SetFound(ReadOnlySpan<byte> value, ulong header, long expiry)
    {
        BlockRead blocks = Blocks!;
        bool keeps = value.Length > LogReader.SmallBuffer && blocks.Lent.Length <= Share.Held
            && Session.Store.PendingMemory.IsWithinLimit;
        Disk.SetFound(
            _chainStart, Address, value, (header & RecordHeader.Large) != 0, expiry, keeps ? blocks : null);
    }

    // The walk can't wait here for what the copies take: others wait the longer.
    private void AddPartial(ReadOnlySpan<byte> value)
    {
        int before = Disk.Partials.Bytes;
        Disk.AddPartial(Address, value);
        int after = Disk.Partials.Bytes;
        if (after > before && after > LogReader.SmallBuffer)
            Session.Store.PendingMemory.Grow(this, after - before);
    }

    private bool IsGivenUp(long address) => address < Session.Store.Log.BeginAddress;

    // A value that goes to its reader piece by piece takes no memory of the store's.
    private void BeginGather(long address, LargeHead head, bool aside)
    {
        Address = address;
        if (Destination is null && head.IsSound(address))
        {
            PendingMemory<TProbe> memory = Session.Store.PendingMemory;
            Disk.SetGathered(0, null);
            memory.Return(this);
            _head = head;
            if (!memory.TryTake(this, head.Length)) return;
        }

        Gather(head, aside);
    }

    private void Gather(LargeHead head, bool aside) // a test's scheduler has no thread aside: the caller's takes a turn
    {
        long from = Address;
        _ = aside && !TProbe.Wait(null) ? Task.Run(() => GatherAsync(from, head)) : GatherAsync(from, head);
    }

    private void Write(LargeWrite<TProbe> prepared, bool aside) =>
        _ = aside && !TProbe.Wait(null) ? Task.Run(() => WriteAsync(prepared)) : WriteAsync(prepared);

    // What these two wait for comes on other threads: the operation is theirs until it is ready.
    private async Task GatherAsync(long address, LargeHead head)
    {
        FasterStore<TProbe> store = Session.Store;
        try
        {
            if (!head.IsSound(address)) throw store.Storage!.NoRecord(address, 0);
            using LargeReader<TProbe>? reader = store.ReadChunks(head);
            if (reader is null)
            {
                LetGo(); // truncated since: the next attempt finds what is true now
            }
            else if (Destination is { } destination)
            {
                using StreamingRead read = store.Commits.Streams.Begin(Session.Name, Serial, Version, head.Length);
                await reader.CopyToAsync(destination, read.Move).ConfigureAwait(false);
                Disk.SetGathered(address, null);
            }
            else
            {
                Disk.SetGathered(address, await reader.GatherAsync().ConfigureAwait(false));
            }
        }
        catch (Exception e)
        {
            Failure = e is FasterException or OperationCanceledException ? e : new UserFunctionException(
                $"The writer that a value was to be read into threw: {e.Message} Nothing is changed; read again.", e);
        }

        BecomeReady();
    }

    private async Task WriteAsync(LargeWrite<TProbe> prepared)
    {
        try
        {
            await prepared.WriteAsync(Session.Store, Hash).ConfigureAwait(false);
        }
        catch (Exception e)
        {
            Failure = e;
        }

        BecomeReady();
    }

    private bool ReadMore(long size)
    {
        LogReader reader = Session.Store.Reader;
        long pageSize = reader.Storage.Geometry.PageBytes;
        long left = pageSize - (Address & (pageSize - 1));
        if (size > left) throw reader.Storage.NoRecord(Address, 0);
        Read(Reads, Address, (int)size);
        return true;
    }
}
