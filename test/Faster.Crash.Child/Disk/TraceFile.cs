using System.Globalization;

namespace Faster.Crash.Disk;

/// <summary>A recorded run in a file, to repeat a crash of it: a run with threads does not repeat itself.</summary>
internal static class TraceFile
{
    /// <summary>The seed of the plan whose run is in a file.</summary>
    public static int SeedOf(string path) =>
        int.Parse(Path.GetFileNameWithoutExtension(path).Split('_')[^1], CultureInfo.InvariantCulture);

    /// <summary>Writes the events of a disk that was empty at first.</summary>
    /// <returns>The file's path.</returns>
    public static string Save(CrashDisk run, string name, int seed)
    {
        string folder = Path.Combine(AppContext.BaseDirectory, "crash-traces");
        Directory.CreateDirectory(folder);
        string path = Path.Combine(folder, $"{name}_{Environment.ProcessId}_{seed}.trace");
        using var writer = new BinaryWriter(File.Create(path));
        writer.Write(name);
        writer.Write(run.Events.Count);
        foreach (DiskEvent e in run.Events)
        {
            writer.Write((byte)e.Kind);
            writer.Write(e.File);
            writer.Write(e.Name);
            writer.Write(e.NewName);
            writer.Write(e.Offset);
            writer.Write(e.Write);
            writer.Write(e.Note);
            writer.Write(e.Bytes.Length);
            writer.Write(e.Bytes);
        }

        return path;
    }

    /// <summary>Reads what <see cref="Save"/> wrote.</summary>
    public static (string Name, CrashDisk Run) Load(string path)
    {
        using var reader = new BinaryReader(File.OpenRead(path));
        string name = reader.ReadString();
        var run = new CrashDisk();
        for (int i = reader.ReadInt32(); i > 0; i--)
        {
            var kind = (DiskEventKind)reader.ReadByte();
            run.Append(new DiskEvent(kind)
            {
                File = reader.ReadInt32(), Name = reader.ReadString(), NewName = reader.ReadString(),
                Offset = reader.ReadInt64(), Write = reader.ReadInt32(), Note = reader.ReadString(),
                Bytes = reader.ReadBytes(reader.ReadInt32()),
            });
        }

        return (name, run);
    }
}
