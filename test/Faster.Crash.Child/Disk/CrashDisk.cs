using System.Globalization;
using Faster.Devices.Folders;

namespace Faster.Crash.Disk;

/// <summary>
/// A disk in memory that separates what the running process sees from what a power cut would leave, and that can stop
/// at any of its calls.
/// </summary>
/// <remarks>
/// Everything that happens is appended to <see cref="Events"/>; live state and durable states both follow from that
/// list alone, so a run is recorded once and any number of crashes are made of it. Each call (a write submitted, a
/// read, a sync, a creation, renaming, deletion, a sync of names) is a boundary with a number: from the boundary
/// <see cref="StopAt"/> on every call fails and changes nothing, as if the process had died. Thread-safe, by one lock.
/// </remarks>
internal sealed class CrashDisk
{
    private readonly DiskImage _initial;
    private readonly DiskImage _live;
    private readonly List<DiskEvent> _events = [];
    private readonly Dictionary<DiskCall, long> _calls = [];
    private readonly Dictionary<int, DiskEvent> _begun = []; // writes submitted and not done
    private DiskFault? _fault;
    private int _nextFile;
    private int _nextWrite;
    private readonly HashSet<string> _mounted = [];

    public CrashDisk()
        : this(new DiskImage())
    {
    }

    /// <summary>A disk on which everything is durable.</summary>
    public CrashDisk(DiskImage initial)
    {
        _initial = initial.Clone();
        _live = initial.Clone();
        _nextFile = _live.Files.Count == 0 ? 0 : _live.Files.Keys.Max() + 1;
    }

    /// <summary>Guards everything; files and the log hold it for what they do in several steps.</summary>
    public Lock Gate { get; } = new();

    /// <summary>How many calls were made.</summary>
    public long Boundaries { get; private set; }

    /// <summary>The boundary from which on every call fails.</summary>
    public long StopAt { get; set; } = long.MaxValue;

    /// <summary>Whether it has stopped, and a call has failed for that reason.</summary>
    public bool IsStopped => Boundaries > StopAt;

    /// <summary>The most bytes that its files may have together.</summary>
    public long Capacity { get; set; } = long.MaxValue;

    /// <summary>How many calls failed by a fault or for lack of space.</summary>
    public long Faults { get; private set; }

    /// <summary>Syncs requested after one had failed: no store may make one.</summary>
    public long SyncsAfterFailure { get; private set; }

    /// <summary>What has happened. Read it only while nothing uses the disk.</summary>
    public IReadOnlyList<DiskEvent> Events => _events;

    /// <summary>What was there before the first event.</summary>
    public DiskImage Initial => _initial;

    /// <summary>What the process sees. Read or damage it only while nothing uses the disk.</summary>
    public DiskImage Live => _live;

    /// <summary>Chooses which requests of a log complete first; null: all complete at once, in order.</summary>
    public Random? Reordering { get; set; }

    /// <summary>How long each sync of a log takes before it begins.</summary>
    public TimeSpan SyncTakes { get; set; }

    /// <summary>
    /// Which syncs are reported as done and not made, as if the store had omitted them. By kind of call and place.
    /// </summary>
    public Func<DiskCall, string, bool>? Omits { get; set; }

    /// <summary>How many syncs were omitted.</summary>
    public long Omitted { get; private set; }

    /// <summary>Whether a sync has failed by a fault.</summary>
    public bool HasSyncFailed { get; private set; }

    /// <summary>Opens a folder: one user at a time, as with the lock of a store's folder.</summary>
    /// <param name="folder">
    /// Its name and a slash, with which the names of its files begin; by default the root's, which is empty. A power
    /// cut is one for all folders; syncs of one make nothing in another durable.
    /// </param>
    public StoreFiles Mount(string folder = "")
    {
        lock (Gate)
        {
            if (!_mounted.Add(folder))
                throw new StoreOpenException("The crash disk is mounted already: dispose of the store.");
            return new CrashFolder(this, folder);
        }
    }

    /// <summary>Arms a fault, or none; calls are counted from 1 again.</summary>
    public void Arm(DiskFault? fault)
    {
        lock (Gate)
        {
            _fault = fault;
            _calls.Clear();
        }
    }

    /// <summary>Appends a note of the test to the events: what was acknowledged or requested.</summary>
    public void Mark(string note)
    {
        lock (Gate) _events.Add(new DiskEvent(DiskEventKind.Mark) { Note = note });
    }

    /// <summary>The disk after a power cut: another disk, on which what is left is durable.</summary>
    /// <param name="seed">Chooses among what may be left.</param>
    /// <param name="events">How many of the events had happened; all by default.</param>
    public CrashDisk CrashState(int seed, int events = int.MaxValue)
    {
        lock (Gate)
        {
            var model = new DurableModel(_initial);
            foreach (DiskEvent e in _events.Take(events)) model.Advance(e);
            return new CrashDisk(model.Choose(new CrashChoice(seed)));
        }
    }

    /// <summary>
    /// The disk after a kill of the process without a power cut: everything that was done is visible, and no more
    /// durable than it was. Writes under way were done or not.
    /// </summary>
    /// <param name="seed">Chooses which of them.</param>
    /// <param name="events">How many of the events had happened.</param>
    public CrashDisk KillState(int seed, int events)
    {
        lock (Gate)
        {
            var killed = new CrashDisk(_initial);
            var random = new Random(seed);
            var open = new SortedSet<int>();
            foreach (DiskEvent e in _events.Take(events))
            {
                killed.Append(e);
                if (e.Kind == DiskEventKind.WriteBegun) open.Add(e.Write);
                if (e.Kind == DiskEventKind.WriteDone) open.Remove(e.Write);
            }

            foreach (int write in open)
            {
                // A process ends, and releases its folder, only when the kernel has no write of it any more.
                bool made = random.Next(2) == 0;
                killed.Append(new DiskEvent(made ? DiskEventKind.WriteDone : DiskEventKind.WriteDropped)
                {
                    Write = write,
                });
            }

            return killed;
        }
    }

    /// <summary>Another disk with the same history, independent of this one.</summary>
    public CrashDisk Clone() => KillState(0, _events.Count);

    /// <summary>The notes among the first events.</summary>
    public IReadOnlyList<string> Notes(int events = int.MaxValue) =>
        [.. _events.Take(events).Where(e => e.Kind == DiskEventKind.Mark).Select(e => e.Note)];

    internal void Unmount(string folder)
    {
        lock (Gate) _mounted.Remove(folder);
    }

    /// <summary>Counts a call; throws if it must fail.</summary>
    internal void Enter(DiskCall call, string place)
    {
        Boundaries++;
        ThrowIfStopped(place);
        bool sync = call is DiskCall.Sync or DiskCall.SyncNames;
        if (sync && HasSyncFailed) SyncsAfterFailure++;
        long n = _calls[call] = _calls.GetValueOrDefault(call) + 1;
        if (_fault is null || !_fault.Strikes(call, n)) return;
        Faults++;
        HasSyncFailed |= sync;
        throw Injected(_fault, place);
    }

    /// <summary>Records the end of a sync.</summary>
    internal void AppendSync(DiskCall call, string place, DiskEvent e)
    {
        if (Omits?.Invoke(call, place) == true) Omitted++;
        else Append(e);
    }

    /// <summary>Throws if the disk has stopped; not a boundary.</summary>
    internal void ThrowIfStopped(string place)
    {
        if (IsStopped) throw Stopped(place);
    }

    /// <summary>Throws if the capacity does not allow a file of this length.</summary>
    internal void Reserve(FileImage file, long length, string place)
    {
        if (length <= file.Length) return;
        long taken = _live.Names.Values.Distinct().Sum(f => _live.Files[f].Length);
        if (taken + length - file.Length <= Capacity) return;
        Faults++;
        throw Injected(new DiskFault(DiskCall.Write, 0, NoSpace: true), place);
    }

    /// <summary>Appends an event and applies it to the live state.</summary>
    internal DiskEvent Append(DiskEvent e)
    {
        _events.Add(e);
        _nextFile = Math.Max(_nextFile, e.File + 1);
        _nextWrite = Math.Max(_nextWrite, e.Write + 1);
        switch (e.Kind)
        {
            case DiskEventKind.Created:
                _live.Files[e.File] = new FileImage();
                DurableModel.Apply(e, _live.Names);
                break;
            case DiskEventKind.Renamed or DiskEventKind.Deleted:
                DurableModel.Apply(e, _live.Names);
                break;
            case DiskEventKind.Emptied:
                _live.Files[e.File].SetLength(0);
                break;
            case DiskEventKind.WriteBegun:
                _begun[e.Write] = e;
                break;
            case DiskEventKind.WriteDone when _begun.Remove(e.Write, out DiskEvent? begun):
                _live.Files[begun.File].Write(begun.Bytes, begun.Offset);
                break;
            case DiskEventKind.WriteDropped:
                _begun.Remove(e.Write);
                break;
        }

        return e;
    }

    /// <summary>The file of a name, created on request; -1 if there is none.</summary>
    internal int FileOf(string name, bool create)
    {
        if (_live.Names.TryGetValue(name, out int file)) return file;
        if (!create) return -1;
        return Append(new DiskEvent(DiskEventKind.Created) { Name = name, File = _nextFile }).File;
    }

    /// <summary>Records the submission of a write.</summary>
    internal DiskEvent BeginWrite(int file, ReadOnlySpan<byte> bytes, long offset) =>
        Append(new DiskEvent(DiskEventKind.WriteBegun)
        {
            File = file, Offset = offset, Bytes = bytes.ToArray(), Write = _nextWrite,
        });

    private static StorageException Stopped(string place) =>
        new($"The crash disk has stopped: nothing more happens to '{place}'. Make a crash state of it.");

    private static StorageException Injected(DiskFault fault, string place)
    {
        string what = fault.NoSpace ? "the disk is full. Free space and go on" : "injected I/O error. Check the disk";
        return new StorageException(
            string.Create(CultureInfo.InvariantCulture, $"{fault.Call} of '{place}' failed: {what}."))
        {
            MayRetry = fault.Call is not (DiskCall.Sync or DiskCall.SyncNames),
        };
    }
}
