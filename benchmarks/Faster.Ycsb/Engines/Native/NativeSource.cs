using Faster.Workload;

namespace Faster.Ycsb.Engines.Native;

/// <summary>Opens stores of a peer in a shared library, if there is one for this system.</summary>
/// <param name="name">The engine's name.</param>
/// <param name="library">The library.</param>
/// <param name="package">Debian's package that has it, too.</param>
/// <param name="open">Opens a store.</param>
internal sealed class NativeSource(
    string name, string library, string package, Func<string, EngineShape, IEngine> open) : IEngineSource
{
    /// <summary>All peers in shared libraries, in their fastest setup.</summary>
    public static IReadOnlyList<IEngineSource> All { get; } =
    [
        new NativeSource("sqlite", NativeLibraries.Sqlite, "libsqlite3-0", (f, s) => new SqliteEngine(f, s)),
        new NativeSource("rocksdb", NativeLibraries.RocksDb, "librocksdb7.8", (f, s) => new RocksEngine(f, s)),
        new NativeSource("lmdb", NativeLibraries.Lmdb, "liblmdb0", (f, s) => new LmdbEngine(f, s)),
    ];

    /// <summary>Those of them whose writes are durable.</summary>
    public static IReadOnlyList<IEngineSource> Durable { get; } =
    [
        new NativeSource(
            "rocksdb-sync", NativeLibraries.RocksDb, "librocksdb7.8", (f, s) => new RocksSyncEngine(f, s)),
        new NativeSource("lmdb-sync", NativeLibraries.Lmdb, "liblmdb0", (f, s) => new LmdbSyncEngine(f, s)),
        new NativeSource("sqlite-full", NativeLibraries.Sqlite, "libsqlite3-0", (f, s) => new SqliteFullEngine(f, s)),
    ];

    /// <inheritdoc/>
    public string Name => name;

    /// <inheritdoc/>
    public string? Refuses(EngineShape shape) =>
        NativeLibraries.Has(library)
            ? null
            : $"its NuGet package has no library for this system, nor is Debian's package {package} installed";

    /// <inheritdoc/>
    /// <exception cref="NotSupportedException">The library is not here.</exception>
    public Task<IEngine> OpenAsync(string folder, EngineShape shape) => Refuses(shape) is { } reason
        ? throw new NotSupportedException($"{name} can't be opened: {reason}.")
        : Task.FromResult(open(folder, shape));
}
