using System.IO.Compression;
using System.Text.Json;
using CountStore.Commands;

namespace CountStore.Tests.Commands;

/// <summary>Runs the program in this process, with a folder of its own for inputs.</summary>
internal sealed class ProgramRun : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("countstore-test-").FullName;

    public string Output { get; private set; } = "";

    public string Error { get; private set; } = "";

    /// <summary>The output as JSON.</summary>
    public JsonElement Json => JsonDocument.Parse(Output).RootElement;

    public string LastLine => Output.TrimEnd().Split('\n')[^1];

    public string File(string name, byte[] bytes)
    {
        string path = Path.Combine(_folder, name);
        if (name.EndsWith(".gz", StringComparison.Ordinal))
        {
            using GZipStream zip = new(System.IO.File.Create(path), CompressionLevel.Fastest);
            zip.Write(bytes);
        }
        else
        {
            System.IO.File.WriteAllBytes(path, bytes);
        }

        return path;
    }

    /// <summary>A path in the folder.</summary>
    public string PathOf(string name) => Path.Combine(_folder, name);

    public Task<int> RunAsync(params string[] args) => RunAsync(CancellationToken.None, args);

    public async Task<int> RunAsync(CancellationToken cancellation, params string[] args)
    {
        using StringWriter output = new();
        using StringWriter error = new();
        Terminal terminal = new(output, error, IsInteractive: false);
        int code = await CountCommand.RunAsync(args, terminal, cancellation);
        (Output, Error) = (output.ToString(), error.ToString());
        return code;
    }

    public void Dispose() => Directory.Delete(_folder, recursive: true);
}
