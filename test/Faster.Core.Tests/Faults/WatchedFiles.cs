using Faster.Devices;
using Faster.Devices.Folders;

namespace Faster.Tests.Faults;

/// <summary>A store's folder that tells a test of each file that is about to be synced.</summary>
internal sealed class WatchedFiles(StoreFiles inner, Action<string> syncing) : StoreFiles
{
    public override string Name => inner.Name;

    public override IReadOnlyList<string> List() => inner.List();

    public override StoreFile Create(string name) => new WatchedFile(inner.Create(name), () => syncing(name));

    public override StoreFile Open(string name) => inner.Open(name);

    public override void Rename(string from, string to) => inner.Rename(from, to);

    public override void Delete(string name) => inner.Delete(name);

    public override void SyncNames() => inner.SyncNames();

    public override Device OpenLog(string name, long segmentBytes, bool unbuffered) =>
        inner.OpenLog(name, segmentBytes, unbuffered);

    public override void Dispose() => inner.Dispose();

    private sealed unsafe class WatchedFile(StoreFile file, Action syncing) : StoreFile
    {
        public override string Path => file.Path;

        public override long Length => file.Length;

        public override void Read(byte* buffer, int length, long offset) => file.Read(buffer, length, offset);

        public override void Write(byte* buffer, int length, long offset) => file.Write(buffer, length, offset);

        public override void Sync()
        {
            syncing();
            file.Sync();
        }

        public override void Dispose() => file.Dispose();
    }
}
