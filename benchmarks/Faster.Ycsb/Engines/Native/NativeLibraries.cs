using System.Reflection;
using System.Runtime.InteropServices;

namespace Faster.Ycsb.Engines.Native;

/// <summary>
/// The shared libraries of native peers: those of their packages, which lie beside this program, then the system's, as
/// Debian names them. Nothing depends on their being there. Thread-safe.
/// </summary>
internal static class NativeLibraries
{
    /// <summary>SQLite.</summary>
    public const string Sqlite = "sqlite3";

    /// <summary>RocksDB.</summary>
    public const string RocksDb = "rocksdb";

    /// <summary>LMDB.</summary>
    public const string Lmdb = "lmdb";

    private static readonly Dictionary<string, string[]> Files = new()
    {
        [Sqlite] = ["libe_sqlite3.so", "libe_sqlite3.dylib", "e_sqlite3.dll", "libsqlite3.so.0"],
        [RocksDb] = ["librocksdb.so", "librocksdb.dylib", "rocksdb.dll", "librocksdb.so.7.8"],
        [Lmdb] = ["liblmdb.so", "lmdb.dylib", "lmdb.dll", "liblmdb.so.0"],
    };

    private static readonly Lock Loading = new();
    private static readonly Dictionary<string, nint> Handles = [];

    static NativeLibraries() => NativeLibrary.SetDllImportResolver(typeof(NativeLibraries).Assembly, Resolve);

    /// <summary>Whether a library is here, by the name that P/Invokes use.</summary>
    public static bool Has(string name) => TryLoad(name, out _);

    private static nint Resolve(string name, Assembly assembly, DllImportSearchPath? path) =>
        Files.ContainsKey(name) && TryLoad(name, out nint handle) ? handle : 0;

    private static bool TryLoad(string name, out nint handle)
    {
        lock (Loading)
        {
            if (!Handles.TryGetValue(name, out handle))
            {
                nint loaded = 0;
                _ = Files[name].Any(file =>
                    NativeLibrary.TryLoad(Path.Combine(AppContext.BaseDirectory, file), out loaded)
                    || NativeLibrary.TryLoad(file, out loaded));
                Handles[name] = handle = loaded;
            }

            return handle != 0;
        }
    }
}
