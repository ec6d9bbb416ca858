using Faster.Devices;
using Faster.Devices.Segments;
using Faster.Tests.Devices.Folders;
using Microsoft.Win32.SafeHandles;

namespace Faster.Tests.Devices.Segments;

/// <summary>A sync that a signal interrupts is retried; any other error is reported at once, unchanged.</summary>
public sealed class InterruptedCallTests : IDisposable
{
    private const int InputOutputError = 5;

    private readonly TemporaryFolder _folder = new(onDisk: true);

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(1000)]
    public void An_interrupted_sync_is_made_again(int interruptions)
    {
        var calls = new Interrupted(interruptions, then: 0);
        using SafeFileHandle file = NewFile();
        Assert.Equal(0, calls.Sync(file));
        Assert.Equal((interruptions + 1, 1), (calls.Attempts, calls.Made));
        calls = new Interrupted(interruptions, then: 0);
        Assert.Equal(0, calls.SyncFolder(_folder.Path));
        Assert.Equal((2 * (interruptions + 1), 2), (calls.Attempts, calls.Made)); // the folder is opened, too
    }

    [Fact]
    public void Another_error_is_told_and_the_sync_is_not_tried_again()
    {
        var calls = new Interrupted(3, InputOutputError);
        using SafeFileHandle file = NewFile();
        Assert.Equal((InputOutputError, 4), (calls.Sync(file), calls.Attempts));
        calls = new Interrupted(3, InputOutputError);
        var refusal = Assert.Throws<IOException>(() => calls.SyncFolder(_folder.Path)); // of the opening
        Assert.Equal((InputOutputError, 4), (refusal.HResult, calls.Attempts));
        calls = new Interrupted(3, InputOutputError) { Opens = true };
        Assert.Equal((InputOutputError, 4), (calls.SyncFolder(_folder.Path), calls.Attempts)); // of the sync
        Assert.Equal(0, calls.Made);
    }

    [Fact]
    public void A_folder_that_is_not_there_is_told() =>
        Assert.Throws<IOException>(() => FileCalls.Real.SyncFolder(Path.Combine(_folder.Path, "none")));

    private SafeFileHandle NewFile()
    {
        Directory.CreateDirectory(_folder.Path);
        return File.OpenHandle(
            Path.Combine(_folder.Path, "file"), FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.ReadWrite);
    }

    // Each kind of call is interrupted so many times, and then fails with an error, or is made.
    private sealed class Interrupted(int times, int then) : FileCalls
    {
        private int _opens, _syncs;

        public int Attempts { get; private set; }

        public int Made { get; private set; }

        public bool Opens { get; init; }

        protected override int SyncOnce(SafeFileHandle handle, SyncCall call)
        {
            int error = Next(ref _syncs);
            return error != 0 ? error : base.SyncOnce(handle, call);
        }

        protected override int OpenFolderOnce(string path, out SafeFileHandle? folder)
        {
            folder = null;
            int error = Opens ? 0 : Next(ref _opens);
            return error != 0 ? error : base.OpenFolderOnce(path, out folder);
        }

        private int Next(ref int count)
        {
            Attempts++;
            if (count++ < times) return DeviceErrors.InterruptedCall;
            if (then == 0) Made++;
            return then;
        }
    }
}
