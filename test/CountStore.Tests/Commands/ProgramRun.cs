using System.IO.Compression;
using CountStore.Commands;

namespace CountStore.Tests.Commands;

/// <summary>Runs the program in this process, with a folder of its own for inputs.</summary>
internal sealed class ProgramRun : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("countstore-test-").FullName;

    public string Output { get; private set; } = "";

    public string Error { get; private set; } = "";

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

    public async Task<int> RunAsync(params string[] args)
    {
        using StringWriter output = new();
        using StringWriter error = new();
        int code = await CountCommand.RunAsync(args, new Terminal(output, error, IsInteractive: false));
        (Output, Error) = (output.ToString(), error.ToString());
        return code;
    }

    public void Dispose() => Directory.Delete(_folder, recursive: true);
}
