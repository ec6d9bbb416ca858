using System.Runtime.InteropServices;

namespace Faster.MemoryProbe;

/// <summary>
/// Leaks that a measurement must find: a few bytes an operation of managed memory and of disk, more of native memory,
/// which varies more, and of resident pages that no allocator counts, and some handles, threads and files at a time.
/// </summary>
internal sealed unsafe partial class SeededLeak(string folder)
{
    private const int Bytes = 8, NativeBytes = 24, ResidentBytes = 128, Things = 3;
    private const int ReadWrite = 3, PrivateAnonymous = 0x22;

    private readonly List<object> _kept = [];

    /// <summary>Leaks after some operations.</summary>
    public void After(long operations)
    {
        int bytes = (int)(Bytes * operations), native = (int)(NativeBytes * operations);
        int resident = (int)(ResidentBytes * operations);
        _kept.Add(new byte[bytes]);
        NativeMemory.Fill(NativeMemory.Alloc((nuint)native), (nuint)native, 1);
        NativeMemory.Fill((void*)Map(0, resident, ReadWrite, PrivateAnonymous, -1, 0), (nuint)resident, 1);
        for (int i = 0; i < Things; i++)
        {
            _kept.Add(File.OpenHandle(Environment.ProcessPath!));
            File.WriteAllText(Path.Combine(folder, $"leak.{_kept.Count}"), new string('x', bytes / Things));
            var never = new ManualResetEventSlim();
            _kept.Add(never);
            new Thread(never.Wait) { IsBackground = true }.Start();
        }
    }

    [LibraryImport("libc", EntryPoint = "mmap")]
    private static partial nint Map(nint address, nint length, int protection, int flags, int file, nint offset);
}
