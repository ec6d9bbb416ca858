using Faster.Checkpoints.Files;
using Faster.Devices;
using Faster.Devices.Folders;

namespace Faster.Crash.Swarm;

/// <summary>A store's folder behind a gate. Thread-safe as <see cref="StoreFiles"/> says.</summary>
internal sealed class GatedFiles(StoreFiles inner, SwarmGate gate) : StoreFiles
{
    public override string Name => inner.Name;

    public override IReadOnlyList<string> List() => inner.List();

    public override StoreFile Create(string name)
    {
        gate.PassFiles();
        return new GatedFile(inner.Create(name), gate);
    }

    public override StoreFile Open(string name) => inner.Open(name);

    public override void Rename(string from, string to)
    {
        gate.PassFiles();
        inner.Rename(from, to);
    }

    public override void Delete(string name) => inner.Delete(name);

    public override void SyncNames()
    {
        gate.PassFiles();
        inner.SyncNames();
    }

    // Operation logs are not held back: each operation waits for them.
    public override Device OpenLog(string name, long segmentBytes, bool unbuffered)
    {
        Device log = inner.OpenLog(name, segmentBytes, unbuffered);
        return StoreFileNames.IsOperationLogs(StoreFileNames.Segment(name, 0))
            ? log
            : new GatedDevice(log, gate);
    }

    public override void Dispose() => inner.Dispose();

    private sealed unsafe class GatedFile(StoreFile file, SwarmGate gate) : StoreFile
    {
        public override string Path => file.Path;

        public override long Length => file.Length;

        public override void Read(byte* buffer, int length, long offset) => file.Read(buffer, length, offset);

        public override void Write(byte* buffer, int length, long offset)
        {
            gate.PassFiles();
            file.Write(buffer, length, offset);
        }

        public override void Sync()
        {
            gate.PassFiles();
            file.Sync();
        }

        public override void Dispose() => file.Dispose();
    }
}
