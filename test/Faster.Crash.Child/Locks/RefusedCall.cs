using System.Runtime.InteropServices;

namespace Faster.Crash.Locks;

/// <summary>
/// Makes the kernel refuse a system call to this process from now on (seccomp, Linux on x86-64 and arm64), as a sandbox
/// or a file system without it does.
/// </summary>
internal static unsafe partial class RefusedCall
{
    private const int NoNewPrivileges = 38;                     // PR_SET_NO_NEW_PRIVS
    private const int FilterMode = 1, AllThreads = 1;           // SECCOMP_SET_MODE_FILTER, …_FLAG_TSYNC
    private const ushort Load = 0x20, IfEqual = 0x15, Return = 0x06; // BPF: LD|W|ABS, JMP|JEQ|K, RET|K
    private const uint Allow = 0x7fff0000, Error = 0x00050000;

    private static readonly bool IsArm = RuntimeInformation.ProcessArchitecture == Architecture.Arm64;

    /// <summary>Refuses flock.</summary>
    /// <param name="error">The error number with which it fails; 0: it reports success and does nothing.</param>
    public static void Flock(int error)
    {
        Instruction* code = stackalloc Instruction[]
        {
            new(Load, 0, 0, 0), // the number of the call
            new(IfEqual, 0, 1, IsArm ? 32u : 73u),
            new(Return, 0, 0, Error | (uint)error),
            new(Return, 0, 0, Allow),
        };
        var program = new Program { Length = 4, Code = code };
        if (Control(NoNewPrivileges, 1, 0, 0, 0) == 0
            && Call(IsArm ? 277 : 317, FilterMode, AllThreads, (nint)(&program)) == 0) return;
        throw new InvalidOperationException(
            $"The kernel installs no filter of system calls: {Marshal.GetLastPInvokeErrorMessage()}.");
    }

    [LibraryImport("libc", EntryPoint = "prctl", SetLastError = true)]
    private static partial int Control(int what, nint a, nint b, nint c, nint d);

    [LibraryImport("libc", EntryPoint = "syscall", SetLastError = true)]
    private static partial nint Call(nint number, nint a, nint b, nint c);

    private readonly record struct Instruction(ushort Code, byte IfTrue, byte IfFalse, uint Operand);

    private struct Program
    {
        public ushort Length;
        public Instruction* Code;
    }
}
