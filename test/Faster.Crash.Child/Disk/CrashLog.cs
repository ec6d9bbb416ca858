using System.Globalization;
using Faster.Devices;

namespace Faster.Crash.Disk;

/// <summary>
/// A log of a crash disk: segments named as those of <see cref="SegmentedFileDevice"/>, and requests that complete in
/// an order that a seed chooses.
/// </summary>
/// <remarks>
/// A request is executed when it is polled, not when it is submitted, so that a sync called before the completion does
/// not cover it. The buffer of a write must be unchanged when the write is done: a store that changes it meanwhile gets
/// an error. A sync makes written segments durable, and the names of segments, but no other names. Thread-safe as <see
/// cref="Device"/> says, by the disk's lock.
/// </remarks>
internal sealed unsafe class CrashLog(CrashDisk disk, string log, long segmentBytes) : Device
{
    /// <summary>The prefix of the names of segments of the main log.</summary>
    public const string Prefix = "log.";

    private readonly string _prefix = log + ".";
    private readonly CompletionQueue _completions = new();
    private readonly List<Begun> _begun = [];
    private readonly HashSet<int> _written = [];
    private readonly HashSet<long> _opened = []; // segments that this device has touched
    private long _begin;
    private bool _namesToSync;

    public override int SectorSize => Sector.Size;

    public override string Name => CrashFolder.Root;

    public override (string Place, long Offset) Locate(long offset) =>
        (CrashFolder.PathOf(NameAt(offset / segmentBytes)), offset % segmentBytes);

    public static string NameOf(long segment) => Prefix + segment.ToString("D12", CultureInfo.InvariantCulture);

    private string LogPath => CrashFolder.PathOf(_prefix);

    public override void Submit(ReadOnlySpan<IORequest> requests)
    {
        lock (disk.Gate)
        {
            foreach (IORequest request in requests)
            {
                request.Error = null;
                try
                {
                    _begun.Add(new Begun(request, Begin(request)));
                }
                catch (FasterException e)
                {
                    request.Error = e;
                    _begun.Add(new Begun(request, null));
                }
            }
        }

        _completions.Wake();
    }

    /// <summary>Does so as often as not, where a seed reorders requests; else always.</summary>
    internal override bool TryTransfer(IORequest request)
    {
        lock (disk.Gate)
        {
            if (disk.Reordering is { } random && random.Next(2) == 0) return false;
            request.Error = null;
            try
            {
                End(new Begun(request, Begin(request)));
            }
            catch (FasterException e)
            {
                request.Error = e;
            }

            return true;
        }
    }

    public override int Poll(Span<IORequest> completed)
    {
        lock (disk.Gate)
        {
            int taken = 0;
            for (int i = 0; i < _begun.Count && taken < completed.Length;)
            {
                if (disk.Reordering is { } random && random.Next(2) == 0)
                {
                    i++;
                    continue;
                }

                Begun begun = _begun[i];
                _begun.RemoveAt(i);
                End(begun);
                completed[taken++] = begun.Request;
            }

            return taken;
        }
    }

    public override bool Wait(TimeSpan timeout)
    {
        lock (disk.Gate)
        {
            if (_begun.Count != 0) return true;
        }

        return _completions.Wait(timeout);
    }

    public override void Wake() => _completions.Wake();

    public override void Sync()
    {
        if (disk.SyncTakes > TimeSpan.Zero) SpinWait.SpinUntil(static () => false, disk.SyncTakes);
        lock (disk.Gate)
        {
            int[] written = [.. _written.Order()];
            foreach (int file in written) SyncOne(file);
            _written.ExceptWith(written);
            if (!_namesToSync) return;
            disk.Enter(DiskCall.SyncNames, Name);
            disk.AppendSync(
                DiskCall.SyncNames, LogPath, new DiskEvent(DiskEventKind.NamesSynced) { Name = _prefix });
            _namesToSync = false;
        }
    }

    public override void TruncateBelow(long offset)
    {
        lock (disk.Gate)
        {
            _begin = Math.Max(_begin, offset / segmentBytes);
            foreach (string name in disk.Live.Names.Keys.Where(IsGivenUp).Order(StringComparer.Ordinal).ToArray())
            {
                disk.Enter(DiskCall.Delete, CrashFolder.PathOf(name));
                int file = disk.FileOf(name, create: false);
                disk.Append(new DiskEvent(DiskEventKind.Deleted) { File = file, Name = name });
            }
        }
    }

    // A write that went on after its store has closed would change what the next one has written in its place.
    protected override void Dispose(bool disposing)
    {
        lock (disk.Gate)
        {
            foreach (Begun begun in _begun) End(begun);
            _begun.Clear();
        }
    }

    private string NameAt(long segment) => _prefix + segment.ToString("D12", CultureInfo.InvariantCulture);

    private bool IsGivenUp(string name) => name.StartsWith(_prefix, StringComparison.Ordinal)
        && long.TryParse(name.AsSpan(_prefix.Length), NumberStyles.None, CultureInfo.InvariantCulture, out long number)
        && number < _begin;

    private DiskEvent? Begin(IORequest request)
    {
        bool write = request.Kind == IOKind.Write;
        (string place, long offset) = Locate(request.Offset);
        disk.Enter(write ? DiskCall.Write : DiskCall.Read, place);
        if (RequestCheck.Find(request, this) is { } fault) throw fault;
        if (offset + request.Length > segmentBytes)
            throw DeviceErrors.Refused(request, place, "it crosses a boundary of segments.");
        if (request.Offset / segmentBytes < _begin)
            throw DeviceErrors.Truncated(request, Name, request.Offset, _begin * segmentBytes);
        _namesToSync |= _opened.Add(request.Offset / segmentBytes);
        if (!write)
        {
            disk.Append(new DiskEvent(DiskEventKind.Read));
            return null;
        }

        int file = disk.FileOf(NameAt(request.Offset / segmentBytes), create: true);
        disk.Reserve(disk.Live.Files[file], offset + request.Length, place);
        return disk.BeginWrite(file, new ReadOnlySpan<byte>(request.Buffer, request.Length), offset);
    }

    private void End(Begun begun)
    {
        IORequest request = begun.Request;
        try
        {
            disk.ThrowIfStopped(Name);
        }
        catch (StorageException e)
        {
            request.Error ??= e;
        }

        if (request.Error is not null) return;
        if (begun.Write is { } write) EndWrite(request, write);
        else Read(request);
    }

    private void EndWrite(IORequest request, DiskEvent write)
    {
        if (!new ReadOnlySpan<byte>(request.Buffer, request.Length).SequenceEqual(write.Bytes))
        {
            request.Error = new StorageException(
                $"The buffer of a write at {request.Offset} was changed while the device had it.");
            return;
        }

        disk.Append(new DiskEvent(DiskEventKind.WriteDone) { Write = write.Write });
        _written.Add(write.File);
    }

    private void Read(IORequest request)
    {
        (string place, long offset) = Locate(request.Offset);
        FileImage? image = disk.Live.Find(NameAt(request.Offset / segmentBytes));
        if (image is null) request.Error = DeviceErrors.MissingFile(request, place, offset, null);
        else if (offset + request.Length > image.Length)
            request.Error = DeviceErrors.EndOfData(request, place, offset, (int)Math.Max(image.Length - offset, 0));
        else image.Read(new Span<byte>(request.Buffer, request.Length), offset);
    }

    private void SyncOne(int file)
    {
        try
        {
            disk.Enter(DiskCall.Sync, Name);
        }
        catch (StorageException) when (!disk.IsStopped)
        {
            disk.Append(new DiskEvent(DiskEventKind.SyncFailed) { File = file });
            throw;
        }

        disk.AppendSync(DiskCall.Sync, LogPath, new DiskEvent(DiskEventKind.Synced) { File = file });
    }

    private readonly record struct Begun(IORequest Request, DiskEvent? Write);
}
