using System.Text;
using Faster.Devices.Folders;

namespace Faster.Crash.DiskTests;

/// <summary>Reads and writes files as text, for tests of the disk.</summary>
internal static class FileCallsOfTests
{
    public static unsafe void Put(this StoreFile file, string text, long offset)
    {
        byte[] bytes = Encoding.ASCII.GetBytes(text);
        fixed (byte* pointer = bytes) file.Write(pointer, bytes.Length, offset);
    }

    /// <summary>Makes a file and syncs its content, but not its name.</summary>
    public static void Write(this StoreFiles files, string name, string text)
    {
        using StoreFile file = files.Create(name);
        file.Put(text, 0);
        file.Sync();
    }
}
