using Faster.Devices.Folders;

namespace Faster.Tests.Faults;

/// <summary>A store's folder that tells a test of each file that is about to be synced.</summary>
internal sealed class WatchedFiles(StoreFiles inner, Action<string> syncing) : PassingFiles(inner)
{
    public override StoreFile Create(string name) => new WatchedFile(base.Create(name), () => syncing(name));

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
