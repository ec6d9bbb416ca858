using Faster.Devices.IOUring;
using Faster.Devices.Segments;
using Microsoft.Win32.SafeHandles;

namespace Faster.Tests.Devices.Segments;

/// <summary>The kinds of file calls that may be refused.</summary>
internal enum RefusedCall
{
    Open,
    Create,
    Empty,
    Length,
    Read,
    Write,
    Rename,
    Delete,
    OpenFolder,
    Sync,
    SyncFolder,
}

/// <summary>
/// The real system calls, some of which fail by an error, as the platform reports it, as long as it is set.
/// </summary>
internal sealed class RefusingCalls : FileCalls
{
    private const int NoEntry = 2, NotOpen = 9, Denied = 13, NotPermitted = 1;

    private volatile int _error;
    private int _refusals;

    /// <summary>The calls that change the names in a folder.</summary>
    public static RefusedCall[] OfNames { get; } =
        [RefusedCall.Create, RefusedCall.Rename, RefusedCall.Delete, RefusedCall.OpenFolder];

    /// <summary>The calls that fail.</summary>
    public IReadOnlyCollection<RefusedCall> Refused { get; set; } = [];

    /// <summary>The error with which they fail; 0: they do not.</summary>
    public int Error
    {
        get => _error;
        set => _error = value;
    }

    /// <summary>How many calls have failed.</summary>
    public int Refusals => Volatile.Read(ref _refusals);

    /// <summary>None: what is transferred past these calls could not be refused.</summary>
    public override RingCalls? Ring => null;

    /// <summary>What the platform throws for an error of a file call.</summary>
    public static Exception Thrown(int error)
    {
        var plain = new IOException($"injected error {error}", error);
        return error switch
        {
            NotPermitted or NotOpen or Denied => new UnauthorizedAccessException("Access is denied.", plain),
            NoEntry => new FileNotFoundException("Could not find file."),
            _ => plain,
        };
    }

    public override SafeFileHandle Open(string path, bool create, ref bool unbuffered)
    {
        ThrowIf(create ? RefusedCall.Create : RefusedCall.Open);
        return base.Open(path, create, ref unbuffered);
    }

    public override void Empty(SafeFileHandle handle)
    {
        ThrowIf(RefusedCall.Empty);
        base.Empty(handle);
    }

    public override long Length(SafeFileHandle handle)
    {
        ThrowIf(RefusedCall.Length);
        return base.Length(handle);
    }

    public override int Read(SafeFileHandle handle, Span<byte> bytes, long offset)
    {
        ThrowIf(RefusedCall.Read);
        return base.Read(handle, bytes, offset);
    }

    public override void Write(SafeFileHandle handle, ReadOnlySpan<byte> bytes, long offset)
    {
        ThrowIf(RefusedCall.Write);
        base.Write(handle, bytes, offset);
    }

    public override void Rename(string from, string to)
    {
        ThrowIf(RefusedCall.Rename);
        base.Rename(from, to);
    }

    public override void Delete(string path)
    {
        ThrowIf(RefusedCall.Delete);
        base.Delete(path);
    }

    protected override int OpenFolderOnce(string path, out SafeFileHandle? folder)
    {
        folder = null;
        return Refuses(RefusedCall.OpenFolder) ? Error : base.OpenFolderOnce(path, out folder);
    }

    protected override int SyncOnce(SafeFileHandle handle, SyncCall call) =>
        Refuses(call == SyncCall.Names ? RefusedCall.SyncFolder : RefusedCall.Sync)
            ? Error
            : base.SyncOnce(handle, call);

    private void ThrowIf(RefusedCall call)
    {
        if (Refuses(call)) throw Thrown(Error);
    }

    private bool Refuses(RefusedCall call)
    {
        if (Error == 0 || !Refused.Contains(call)) return false;
        Interlocked.Increment(ref _refusals);
        return true;
    }
}
